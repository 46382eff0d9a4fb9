/* Tabs, as the WAI-ARIA pattern has them: one tab stop, arrows and Home/End choose. Without this file all sections stand below each other.
 *   of a page      <nav class="tabs"><a href="#peta">Peta</a>…</nav> and elements with data-tab that are or hold what these lead to; what is chosen is in the address, and an address
 *                  that leads to something within a section opens it, as does finding a word on the page
 *   of examples    <div data-tabs data-label="…"><section data-tab="Python">…; the choice holds for all examples, and is remembered
 * Whoever needs to know when a section is seen: event "odp-shown" on it. */
import { rememberedLanguage, rememberLanguage } from "./language.js";


let count = 0;

const step = { ArrowRight: 1, ArrowLeft: -1 };

/* TABS control PANELS; what is not seen has the attribute hidden=HIDDEN. CHOSEN(i) when a person has chosen. Returns the function that shows one. */
function connect(list, tabs, panels, hidden, chosen) {
    const show = (index) => {
        tabs.forEach((tab, i) => {
            tab.setAttribute("aria-selected", String(i === index));
            tab.tabIndex = i === index ? 0 : -1;
            if (i === index) panels[i].removeAttribute("hidden");
            else panels[i].setAttribute("hidden", hidden);
        });
        panels[index].dispatchEvent(new CustomEvent("odp-shown", { bubbles: true }));
    };
    list.setAttribute("role", "tablist");
    tabs.forEach((tab, i) => {
        count++;
        tab.id = tab.id || `tab-${count}`;
        tab.setAttribute("role", "tab");
        panels[i].id = panels[i].id || `panel-${count}`;
        panels[i].setAttribute("role", "tabpanel");
        panels[i].setAttribute("aria-labelledby", tab.id);
        tab.setAttribute("aria-controls", panels[i].id);
        tab.addEventListener("click", (event) => {
            event.preventDefault();
            show(i);
            tab.focus();
            chosen(i);
        });
        panels[i].addEventListener("beforematch", () => {
            show(i);
            chosen(i);
        });
    });
    list.addEventListener("keydown", (event) => {
        const at = tabs.indexOf(event.target);
        const to = event.key === "Home" ? 0 : event.key === "End" ? tabs.length - 1 : event.key in step ? at + step[event.key] : NaN;
        if (at < 0 || Number.isNaN(to)) return;
        event.preventDefault();
        tabs[(to + tabs.length) % tabs.length].click();
    });
    return show;
}

function ofExamples(box) {
    const panels = [...box.querySelectorAll(":scope > [data-tab]")];
    if (panels.length < 2) return;
    const list = document.createElement("div");
    list.className = "tablist";
    if (box.dataset.label) list.setAttribute("aria-label", box.dataset.label);
    const tabs = panels.map((panel) => {
        const tab = document.createElement("button");
        const heading = panel.querySelector(":scope > h2, :scope > h3, :scope > h4, :scope > h5");
        tab.type = "button";
        tab.textContent = panel.dataset.tab;
        panel.tabIndex = 0;
        if (heading) heading.classList.add("visually-hidden");
        list.append(tab);
        return tab;
    });
    const show = connect(list, tabs, panels, "", (i) => {
        rememberLanguage(panels[i].dataset.tab);
        document.dispatchEvent(new CustomEvent("odp-tab", { detail: { name: panels[i].dataset.tab, from: box } }));
    });
    document.addEventListener("odp-tab", (event) => {
        const index = panels.findIndex((panel) => panel.dataset.tab === event.detail.name);
        if (event.detail.from !== box && index >= 0) show(index);
    });
    box.prepend(list);
    show(Math.max(0, panels.findIndex((panel) => panel.dataset.tab === rememberedLanguage())));
}

/* What the address leads to, or null. */
function target() {
    try {
        return document.getElementById(decodeURIComponent(location.hash.slice(1)).split("=")[0]);
    } catch (error) {
        return null;
    }
}

function ofPage(nav) {
    const panelOf = (link) => {
        const there = document.getElementById(link.hash.slice(1));
        return there && there.closest("[data-tab]");
    };
    const tabs = [...nav.querySelectorAll("a")].filter(panelOf);
    const panels = tabs.map(panelOf);
    if (tabs.length < 2) return;
    const show = connect(nav, tabs, panels, "until-found", (i) => history.replaceState(null, "", tabs[i].hash));
    const follow = () => {
        const wanted = target();
        const index = wanted ? panels.findIndex((panel) => panel.contains(wanted)) : -1;
        if (index < 0) return;
        show(index);
        if (wanted !== panels[index] && tabs[index].hash.slice(1) !== wanted.id) wanted.scrollIntoView();
    };
    tabs.forEach((tab) => tab.addEventListener("keydown", (event) => {
        if (event.key !== " ") return;
        event.preventDefault();
        tab.click();
    }));
    addEventListener("hashchange", follow);
    show(0);
    follow();
}

export function makeTabs() {
    document.querySelectorAll("[data-tabs]").forEach(ofExamples);
    document.querySelectorAll("nav.tabs").forEach(ofPage);
}
