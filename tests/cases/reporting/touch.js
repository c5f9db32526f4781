() => {
  const focusable = "a, button, input, select, textarea, summary, [tabindex]";
  const stay = (event) => {
    if (event.target.closest?.("a[href^=http]")) event.preventDefault();
  };
  const touch = (root) => {
    root.defaultView?.addEventListener("click", stay, true);
    for (const element of root.querySelectorAll("body, body *")) {
      for (const kind of ["pointerenter", "mouseover", "mouseenter", "focusin", "toggle"]) {
        element.dispatchEvent(new Event(kind, { bubbles: kind !== "mouseenter" }));
      }
      if (element.matches(focusable)) element.focus();
      element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    }
    root.defaultView?.removeEventListener("click", stay, true);
    for (const frame of root.querySelectorAll("iframe")) {
      if (frame.contentDocument) touch(frame.contentDocument);
    }
  };
  touch(document);
}
