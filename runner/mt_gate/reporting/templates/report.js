"use strict";
// Filters, sorts and pages the cases, and finds one by its address. Without it the page shows the
// first cases of each list.
(() => {
  const byId = (id) => document.getElementById(id);
  const number = (value) => value.toLocaleString("en-GB");
  const FILTERS = ["label", "error", "stratum"];
  const PAGE = Number(byId("groups").dataset.page);

  // Unpacking: base64, raw deflate, JSON. Nothing is asked of a server.
  const unpack = async (element) => {
    const bytes = Uint8Array.from(atob(element.textContent), (c) => c.charCodeAt(0));
    const opened = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Response(opened).json();
  };
  const chunks = new Map();
  const chunk = (n) => {
    if (!chunks.has(n)) chunks.set(n, unpack(byId(`chunk-${n}`)));
    return chunks.get(n);
  };

  const lists = [...document.querySelectorAll("details.list")].map((element) => ({
    element,
    section: element.closest("section.relation"),
    groups: element.querySelector("ol"),
    pager: element.querySelector(".pager"),
    number: element.querySelector(".number"),
    total: element.querySelector(".number").textContent,
    all: [],
    matching: [],
    page: 0,
    drawn: "",
    open: element.open,
  }));

  // One record for each group that the page holds, in the order of the lists.
  let groups = [];
  const named = new Map();
  const load = (index) => {
    let next = 0;
    index.chunks.forEach(([listNumber, size], n) => {
      for (let at = 0; at < size; at += 1, next += 1) {
        const group = {
          id: index.ids[next], list: lists[listNumber], chunk: n, at, telling: next, words: null,
          label: index.label[next], error: index.error[next], stratum: index.stratum[next],
          source: index.source[next], alphabet: index.alphabet[next],
          strength: -index.strength[next],
        };
        groups.push(group);
        group.list.all.push(group);
        named.set(group.id, group);
      }
    });
    for (const list of lists) {
      list.matching = list.all;
      const plain = list.groups.children.length;
      if (plain >= Math.min(PAGE, list.all.length)) list.drawn = key(list);
    }
  };

  // The words of a group as they are shown. A label stands in the middle of a sentence:
  // the sentence is searched without it, then the labels.
  const CHARACTERS = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&#34;": '"', "&#39;": "'" };
  const searchable = (html) => {
    const labels = [];
    const sentences = html.replace(/<b>([^<]*)<\/b>/g, (_, label) => {
      labels.push(label);
      return "";
    });
    return `${sentences.replace(/<[^>]*>/g, "")} ${labels.join(" ")}`
      .replace(/&(?:lt|gt|amp|#34|#39);/g, (found) => CHARACTERS[found])
      .replace(/\s+/g, " ")
      .toLowerCase();
  };
  const read = async () => {
    for (const group of groups) group.words ??= searchable((await chunk(group.chunk))[group.at]);
  };

  // What is shown, as the address says it: filters, order, and the page of each list.
  const controls = new Map();
  for (const name of ["text", "relation", "change", ...FILTERS, "sort"]) {
    const control = byId(`f-${name}`);
    if (control) controls.set(name, control);
  }
  const value = (name) => controls.get(name)?.value ?? "";
  const tidy = (text) => text.trim().replace(/\s+/g, " ").toLowerCase();
  const address = () => {
    const parts = new URLSearchParams();
    for (const [name, control] of controls) if (control.value) parts.set(name, control.value);
    for (const list of lists) if (list.page) parts.append("page", `${list.element.id}.${list.page + 1}`);
    return parts.toString();
  };
  const mark = (wanted, how = "replaceState") => {
    const here = location.pathname + location.search;
    try {
      history[how]({ own: true }, "", wanted ? `#${wanted}` : here);
    } catch {
      // Where a viewer forbids it, only the address stays as it was.
    }
  };
  const remember = (typed = false) => mark(address(), typed ? "replaceState" : "pushState");
  const restore = (parts) => {
    for (const [name, control] of controls) {
      control.value = parts.get(name) ?? "";
      if (control.selectedIndex === -1) control.value = "";
    }
    for (const list of lists) list.page = 0;
    for (const part of parts.getAll("page")) {
      const dot = part.lastIndexOf(".");
      const list = lists.find(({ element }) => element.id === part.slice(0, dot));
      if (list) list.page = Math.max(0, Math.trunc(Number(part.slice(dot + 1))) - 1) || 0;
    }
  };

  const choose = (wanted) => {
    const relation = value("relation");
    const change = value("change");
    const chosen = FILTERS.filter(value).map((name) => [
      name,
      Number(controls.get(name).selectedOptions[0].dataset.number),
    ]);
    const sort = value("sort");
    for (const list of lists) {
      const inside = (!relation || list.section.dataset.relation === relation)
        && (!change || list.element.dataset.kind === change);
      list.matching = inside
        ? list.all.filter((group) => chosen.every(([name, n]) => group[name].includes(n))
          && (!wanted || group.words.includes(wanted)))
        : [];
      if (sort) {
        list.matching = [...list.matching].sort((a, b) => a[sort] - b[sort] || a.telling - b.telling);
      }
    }
  };

  const last = (list) => Math.max(0, Math.ceil(list.matching.length / PAGE) - 1);
  const onPage = (list) => list.matching.slice(list.page * PAGE, (list.page + 1) * PAGE);
  const key = (list) => onPage(list).map(({ id }) => id).join(" ");
  const some = (list) => list.matching.length < list.all.length;
  const draw = async (list) => {
    if (list.element.hidden || !list.all.length) return;
    const wanted = key(list);
    if (list.drawn !== wanted) {
      list.drawn = wanted;
      const html = await Promise.all(
        onPage(list).map(async (group) => (await chunk(group.chunk))[group.at]),
      );
      // Escaped by the report's templates, like the groups that stand in the page.
      if (list.drawn !== wanted) return;
      list.groups.innerHTML = html.join("");
    }
    say(list);
  };
  // Say which there are; after they are drawn, so that it holds whenever a page is printed.
  const say = (list) => {
    if (!list.pager) return;
    const from = list.page * PAGE + 1;
    const to = list.page * PAGE + onPage(list).length;
    const [back, on] = list.pager.querySelectorAll("button");
    back.hidden = on.hidden = last(list) === 0;
    back.disabled = list.page === 0;
    on.disabled = list.page === last(list);
    list.pager.classList.toggle("whole", last(list) === 0);
    list.pager.querySelector("output").textContent =
      `${number(from)} to ${number(to)} of ${number(list.matching.length)}${
        some(list) ? " that match" : ""}`;
  };
  // What a printed page says in place of the controls.
  const inWords = () => [...controls].filter(([, control]) => control.value.trim()).map(
    ([, control]) => `${control.labels[0].textContent}: ${
      control.selectedOptions?.[0].textContent ?? `“${control.value}”`}`,
  ).join("; ");

  // Show what the controls and pages say. A later call overtakes one that still reads.
  let latest = 0;
  const show = async () => {
    const turn = (latest += 1);
    const wanted = tidy(value("text"));
    const filtering = Boolean(wanted) || ["relation", "change", ...FILTERS].some(value);
    byId("filter").setAttribute("aria-busy", "true");
    if (wanted) await read();
    if (turn !== latest) return;
    choose(wanted);
    let count = 0;
    const alive = new Set();
    for (const list of lists) {
      count += list.matching.length;
      list.page = Math.min(list.page, last(list));
      list.number.textContent = some(list)
        ? `${number(list.matching.length)} of ${number(list.all.length)}`
        : list.total;
      if (list.matching.length) alive.add(list).add(list.section);
    }
    for (const list of lists) {
      list.element.hidden = filtering && !alive.has(list);
      list.element.open = filtering ? alive.has(list) : list.open;
    }
    for (const section of document.querySelectorAll("section.relation")) {
      section.hidden = filtering && !alive.has(section);
    }
    byId("f-count").textContent = filtering
      ? `${number(count)} of ${number(groups.length)} cases match`
      : `${number(groups.length)} cases`;
    byId("f-nothing").hidden = count > 0 || !filtering;
    byId("f-clear").disabled = !address();
    byId("f-printed").hidden = !inWords();
    byId("f-printed").textContent = `${inWords()}. ${byId("f-count").textContent}.`;
    await Promise.all(lists.filter(({ element }) => element.open).map(draw));
    if (turn !== latest) return;
    byId("filter").removeAttribute("aria-busy");
  };

  const focus = (element) => {
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
  };
  // Bring one group to the reader: without filters, on its page, marked and focused.
  const find = async (id) => {
    const group = named.get(id);
    document.querySelector("li.here")?.classList.remove("here");
    if (!group) {
      await show();
      byId("f-count").textContent = `Case ${id} is not in this page. See groups.jsonl.gz`;
      return;
    }
    restore(new URLSearchParams());
    group.list.page = Math.floor(group.list.all.indexOf(group) / PAGE);
    group.list.open = true;
    await show();
    const element = byId(`g-${id}`);
    if (!element) return;
    element.classList.add("here");
    element.scrollIntoView({ block: "center", behavior: "instant" });
    focus(element);
  };

  const follow = async (own) => {
    const hash = location.hash.slice(1);
    if (hash.startsWith("g-")) return find(hash.slice(2));
    const target = hash && !hash.includes("=") ? byId(hash) : null;
    if (!own && target && !target.closest("[hidden]")) {
      // A link leads there and leaves filters on: once it has, they stand in the address again.
      setTimeout(() => mark(address() || hash));
      return undefined;
    }
    restore(new URLSearchParams(hash.includes("=") ? hash : ""));
    await show();
    if (target) target.scrollIntoView();
    return undefined;
  };

  const listen = () => {
    const filter = byId("filter");
    let waiting = 0;
    filter.addEventListener("input", ({ target }) => {
      for (const list of lists) list.page = 0;
      clearTimeout(waiting);
      const typed = target.type === "search";
      waiting = setTimeout(() => {
        remember(typed);
        show();
      }, typed ? 120 : 0);
    });
    byId("f-clear").addEventListener("click", () => {
      restore(new URLSearchParams());
      remember();
      show();
      controls.get("text").focus();
    });
    for (const list of lists) {
      list.element.querySelector("summary").addEventListener("click", () => {
        list.open = !list.element.open;
        if (list.open) draw(list);
      });
      list.pager?.addEventListener("click", async ({ target }) => {
        const step = Number(target.dataset?.step ?? 0);
        if (!step) return;
        list.page = Math.min(Math.max(0, list.page + step), last(list));
        remember();
        await draw(list);
        list.element.scrollIntoView({ block: "start" });
        if (list.groups.firstElementChild) focus(list.groups.firstElementChild);
      });
    }
    addEventListener("popstate", ({ state }) => follow(Boolean(state?.own)));
  };

  const start = async () => {
    try {
      load(await unpack(byId("index")));
    } catch (error) {
      byId("f-failed").hidden = false;
      return;
    }
    const filter = byId("filter");
    filter.hidden = groups.length === 0;
    new ResizeObserver(() => {
      document.documentElement.style.setProperty("--filter-height", `${filter.offsetHeight}px`);
    }).observe(filter);
    listen();
    mark(location.hash.slice(1));
    await follow(true);
    document.documentElement.dataset.ready = "";
  };
  start();

  // Examples, one at a time.
  const examples = [...document.querySelectorAll(".examples > li")];
  const steps = [...document.querySelectorAll("[data-example]")];
  let example = 0;
  const turn = (step) => {
    example = Math.min(Math.max(0, example + step), examples.length - 1);
    examples.forEach((element, n) => { element.hidden = n !== example; });
    for (const button of steps) {
      button.hidden = examples.length < 2;
      button.disabled = example === (button.dataset.example === "1" ? examples.length - 1 : 0);
    }
  };
  for (const button of steps) {
    button.addEventListener("click", () => turn(Number(button.dataset.example)));
  }
  turn(0);
})();
