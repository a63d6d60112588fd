// Copying a text. Pages over plain http have no clipboard of their own: there the browser copies what is selected.

export async function copyText(text: string): Promise<boolean> {
  if (globalThis.navigator?.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Refused, as in a frame: the other way may still do.
    }
  }
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  field.setAttribute("aria-hidden", "true");
  const focused = document.activeElement;
  // Within a dialog nothing outside can be selected.
  (focused?.closest("dialog") ?? document.body).append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return copied;
}
