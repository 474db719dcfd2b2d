import type { Catalog } from '#kernel/catalog.ts'

/** A catalog that whoever holds it sees change. */
export interface LiveCatalog {
  readonly catalog: Catalog
  replace(next: Catalog): void
}

export function createLiveCatalog(first: Catalog): LiveCatalog {
  let current = first
  return {
    catalog: Object.freeze({
      get plugins() {
        return current.plugins
      },
      contributions: () => current.contributions(),
      platforms: () => current.platforms(),
      providers: () => current.providers(),
      toolsets: () => current.toolsets(),
      webBackends: () => current.webBackends(),
      skills: () => current.skills(),
      find: (kind, id) => current.find(kind, id),
      plugin: (id) => current.plugin(id),
    } satisfies Catalog),
    replace: (next) => {
      current = next
    },
  }
}
