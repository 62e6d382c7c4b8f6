// SPDX-License-Identifier: Apache-2.0
// theme.ts: light or dark: as the system is, unless a person says otherwise.

export type Theme = "light" | "dark";

const KEY = "dendro.theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners: ((theme: Theme) => void)[] = [];

function chosen(): Theme | null {
  const theme = localStorage.getItem(KEY);
  return theme === "light" || theme === "dark" ? theme : null;
}

export function currentTheme(): Theme {
  return chosen() ?? (system.matches ? "dark" : "light");
}

function apply(): void {
  const theme = currentTheme();
  document.documentElement.dataset["theme"] = theme;
  for (const listener of listeners) listener(theme);
}

export function toggleTheme(): void {
  localStorage.setItem(KEY, currentTheme() === "dark" ? "light" : "dark");
  apply();
}

export function onTheme(listener: (theme: Theme) => void): void {
  listeners.push(listener);
  listener(currentTheme());
}

export function startTheme(): void {
  system.addEventListener("change", apply);
  apply();
}
