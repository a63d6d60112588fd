// The only way elements are made here: what is untrusted becomes text nodes and attributes, never markup.

export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

export const byId = (id) => document.getElementById(id);

// Changes only what differs, so that a screen reader or a selection is not disturbed for nothing.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
