import { type Browser, chromium } from 'playwright-core'

export type { Browser, Page } from 'playwright-core'

/** Debian's Chromium. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
}
