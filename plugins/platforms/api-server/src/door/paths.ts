import type { Route } from './door.ts'

/** One line of the table of routes. */
export interface Path {
  /** As capabilities list it. */
  readonly name: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** May hold `{id}` once, for one piece of the path. */
  readonly path: string
  readonly route: Route
  /** Answered without a key. */
  readonly open?: boolean
  /** Needs no body. */
  readonly bodiless?: boolean
}

/** The routes of one path, by method. */
export interface Found {
  readonly methods: ReadonlyMap<string, Path>
  readonly id: string
}

/** Finds the routes of a path; whole paths are looked up first. */
export function createPathFinder(table: readonly Path[]): (path: string) => Found | undefined {
  const whole = new Map<string, Found & { readonly methods: Map<string, Path> }>()
  for (const line of table) {
    const found = whole.get(line.path) ?? { methods: new Map<string, Path>(), id: '' }
    found.methods.set(line.method, line)
    whole.set(line.path, found)
  }
  return (path) => whole.get(path) ?? findByPiece(whole, path)
}

/** `/v1/runs/x/stop` is looked up as `/v1/runs/{id}/stop`: every id is the third piece. */
function findByPiece(whole: ReadonlyMap<string, Found>, path: string): Found | undefined {
  const [, root, family, id, ...rest] = path.split('/')
  if (!id) return undefined
  const found = whole.get(['', root, family, '{id}', ...rest].join('/'))
  return found && { ...found, id: decode(id) }
}

function decode(piece: string): string {
  try {
    return decodeURIComponent(piece)
  } catch {
    // A piece that is not well encoded is the id of nothing.
    return piece
  }
}
