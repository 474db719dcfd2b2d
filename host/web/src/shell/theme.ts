export type Theme = 'light' | 'dark' | 'system'

const key = 'agent.theme'
export const themes: readonly Theme[] = ['system', 'light', 'dark']

/** What this browser was told; otherwise what display.theme_mode says. */
export function storedTheme(): Theme | undefined {
  const stored = localStorage.getItem(key)
  return themes.find((theme) => theme === stored)
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export function keepTheme(theme: Theme): void {
  localStorage.setItem(key, theme)
  applyTheme(theme)
}
