export type { ElementHandle, KeyInput, Page, SerializedAXNode } from 'puppeteer-core/internal/puppeteer-core-browser.js'

/** The library for browsers, without the half that fetches and starts them. */
export type Library = typeof import('puppeteer-core/internal/puppeteer-core-browser.js').default

/** It is loaded for the first page. */
export async function loadLibrary(): Promise<Library> {
  return (await import('puppeteer-core/internal/puppeteer-core-browser.js')).default
}
