// What stands before the page: a sign-in where one is needed, and the reason where the page cannot be shown at all.

import { call, trust } from "./api.js";
import { byId, h } from "./dom.js";

function cover(...content) {
  byId("app").hidden = true;
  byId("gate").hidden = false;
  byId("gate").replaceChildren(
    h("main", { class: "card" }, document.querySelector(".brand").cloneNode(true), ...content),
  );
}

export function uncover() {
  if (byId("gate").hidden) return;
  byId("gate").hidden = true;
  byId("gate").replaceChildren();
  byId("app").hidden = false;
  byId("question").focus();
}

export function askKey(signedIn) {
  const key = h("input", {
    id: "key",
    type: "password",
    autocomplete: "current-password",
    required: true,
    maxlength: "500",
  });
  const problem = h("p", { class: "problem", role: "alert" });
  const button = h("button", { type: "submit", class: "primary" }, "Sign in");
  const submit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    problem.textContent = "";
    try {
      trust((await call("api/sign-in", { key: key.value.trim() })).csrf_token);
      await signedIn();
    } catch (error) {
      problem.textContent = error.message;
      button.disabled = false;
      key.focus();
    }
  };
  const help = h(
    "p",
    { class: "hint" },
    "The operator makes a key with ",
    h("code", {}, "glassloop keys create NAME"),
    ". It is asked for once; this browser then stays signed in.",
  );
  cover(
    h("h1", {}, "Sign in"),
    h("form", { onsubmit: submit }, h("label", { for: "key" }, "API key"), key, problem, button),
    help,
  );
  key.focus();
}

export function explain(message, again) {
  const button = h("button", { type: "button", class: "primary", onclick: again }, "Try again");
  cover(h("h1", {}, "This did not work"), h("p", { role: "alert" }, message), button);
  button.focus();
}
