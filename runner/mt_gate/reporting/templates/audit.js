"use strict";
// Keeps marks in the browser and hands back the CSV sheet; see audits/sheet.py for its form.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const place = `mt-gate audit ${data.suite}`;
  const markOf = { 1: "ok", 2: "doubtful", 3: "bad", 0: "" };
  const groups = [];
  let kept = new Map();
  let keeping = true;
  let current = null;

  // What another window of this page has kept since is taken over, not lost.
  const load = () => {
    if (!keeping) return;
    try {
      const rows = JSON.parse(localStorage.getItem(place) ?? "[]");
      kept = new Map(rows.map(([id, mark, fault]) => [String(id), [String(mark), String(fault)]]));
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof TypeError)) notKept();
    }
  };

  const notKept = () => {
    keeping = false;
    document.getElementById("unkept").hidden = false;
  };

  const keep = (group) => {
    load();
    kept.set(group.id, [group.mark, group.fault.value]);
    if (!keeping) return;
    try {
      localStorage.setItem(place, JSON.stringify([...kept].map(([id, found]) => [id, ...found])));
    } catch {
      notKept();
    }
  };

  const count = (sheet) => {
    const number = { ok: 0, doubtful: 0, bad: 0, "": 0 };
    for (const group of sheet.groups) number[group.mark] += 1;
    const marked = sheet.groups.length - number[""];
    const total = document.createElement("strong");
    total.textContent = `${marked} of ${sheet.groups.length} marked`;
    const parts = ` · ${number.ok} ok, ${number.doubtful} doubtful, ${number.bad} bad`;
    sheet.count.replaceChildren(total, parts);
    sheet.progress.value = marked;
    sheet.save.classList.toggle("done", marked === sheet.groups.length);
    sheet.next.disabled = marked === sheet.groups.length;
  };

  const show = (group) => {
    for (const radio of group.radios) radio.checked = radio.value === group.mark;
  };

  const makeCurrent = (group) => {
    if (current) current.row.removeAttribute("aria-current");
    current = group;
    group.row.setAttribute("aria-current", "true");
  };

  const go = (group) => {
    if (!group) return;
    makeCurrent(group);
    group.row.focus({ preventScroll: true });
    group.row.scrollIntoView({ block: "center", behavior: "instant" });
  };

  const step = (by) => go(groups[groups.indexOf(current) + by]);

  const nextUnmarked = (among) => {
    const at = among.indexOf(current);
    const turned = [...among.slice(at + 1), ...among.slice(0, at + 1)];
    go(turned.find((group) => group.mark === ""));
  };

  const setMark = (group, mark) => {
    group.mark = mark;
    show(group);
    keep(group);
    count(group.sheet);
  };

  const byKey = (mark) => {
    const last = groups.at(-1) === current;
    setMark(current, mark);
    if (mark === "ok" && !last) step(1);
    else if (mark === "ok" || mark === "") go(current);
    else current.fault.focus();
  };

  // The same patterns as in suites/sheet.py: no spreadsheet takes the words for a formula.
  const sign = String.raw`[=+\-@\uff1d\uff0b\uff0d\uff20]`;
  const blank = String.raw`(?:[^\S\t\r\n]|[\x00-\x08\x0b\x0c\x0e-\x1f\ufeff])`;
  const atStart = String.raw`^(?='*(?:${blank}|[\t\r\n]|${sign}))`;
  const afterSeparator = String.raw`(?<=[;|\t\r\n])(?='*(?:${blank}|")*${sign})`;
  const unsafe = new RegExp(`${atStart}|${afterSeparator}`, "g");
  const cell = (text) => {
    const safe = text.replace(unsafe, "'");
    return /[",;|\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };

  const download = (sheet) => {
    const lines = sheet.groups.map((g) => `${g.begin},${g.mark},${cell(g.fault.value)}\n`);
    const blob = new Blob(["\ufeff", `${sheet.header}\n`, ...lines], { type: "text/csv" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = sheet.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };

  const take = (section, told) => {
    const part = (name) => section.querySelector(name);
    const sheet = { file: told.file, header: told.header, groups: [], count: part(".count"), progress: part("progress") };
    sheet.next = part("button.next");
    sheet.save = part("button.save");
    section.querySelectorAll("li.g").forEach((row, index) => {
      const radios = [...row.querySelectorAll("input[type=radio]")];
      const group = { ...told.rows[index], row, radios, sheet, mark: "" };
      group.fault = row.querySelector("input[type=text]");
      sheet.groups.push(group);
      groups.push(group);
      row.addEventListener("focusin", () => makeCurrent(group));
      row.addEventListener("click", () => makeCurrent(group));
      group.fault.addEventListener("input", () => keep(group));
      for (const radio of radios) radio.addEventListener("change", () => setMark(group, radio.value));
    });
    sheet.next.addEventListener("click", () => nextUnmarked(sheet.groups));
    sheet.save.addEventListener("click", () => download(sheet));
    sheet.save.disabled = false;
    return sheet;
  };

  const restore = (sheet) => {
    for (const group of sheet.groups) {
      const [mark, fault] = kept.get(group.id) ?? ["", ""];
      group.mark = Object.values(markOf).includes(mark) ? mark : "";
      group.fault.value = fault;
      show(group);
    }
    count(sheet);
  };

  const inFault = (event) => {
    if (event.key === "Enter") step(1);
    else if (event.key === "Escape") go(current);
    else return;
    event.preventDefault();
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !current) return;
    if (event.target.matches("input[type=text]")) return inFault(event);
    const key = event.key.toLowerCase();
    if (Object.hasOwn(markOf, key)) {
      // A key held down marks one group, not all that follow.
      if (!event.repeat) byKey(markOf[key]);
    } else if (key === "j") step(1);
    else if (key === "k") step(-1);
    else if (key === "n") nextUnmarked(groups);
    else if (key === "f") current.fault.focus();
    else return;
    event.preventDefault();
  });

  const told = [...document.querySelectorAll("section.sheet")].map((s, i) => take(s, data.sheets[i]));
  load();
  told.forEach(restore);
  document.getElementById("unscripted").hidden = true;
  addEventListener("storage", (event) => {
    if (event.key !== place) return;
    load();
    told.forEach(restore);
  });
  addEventListener("beforeunload", (event) => {
    if (!keeping) event.preventDefault();
  });
  const started = groups.some((group) => group.mark !== "");
  const first = groups.find((group) => group.mark === "") ?? groups[0];
  if (started) go(first);
  else if (first) makeCurrent(first);
})();
