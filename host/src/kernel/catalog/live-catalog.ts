import type { Catalog } from './catalog.ts'

/** A catalog whose holders see it change. */
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
      of: (kind) => current.of(kind),
      find: (kind, id) => current.find(kind, id),
      plugin: (id) => current.plugin(id),
    } satisfies Catalog),
    replace: (next) => {
      current = next
    },
  }
}
