/** The build of the library that brings no parser. */
declare module 'turndown/lib/turndown.browser.cjs.js' {
  import type { PageNode } from './to-markdown.ts'

  interface Rule {
    readonly filter: string | readonly string[] | ((node: PageNode) => boolean)
    readonly replacement: (inner: string, node: PageNode) => string
  }

  export default class Turndown {
    constructor(options: Readonly<Record<string, string>>)
    remove(filter: readonly string[]): void
    addRule(name: string, rule: Rule): void
    turndown(node: PageNode): string
  }
}
