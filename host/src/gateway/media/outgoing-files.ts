import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, join, sep } from 'node:path'
import type { OutboundMedia } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { MediaCache } from './media-cache.ts'
import { kindOf, type MediaDirective, mimeOf } from './media-directives.ts'

/** Files that leave with a message. */
export interface OutgoingFiles {
  /** Copies the file into the cache, so that it is still the same when it is sent. Rejects with MEDIA_MISSING, MEDIA_TOO_LARGE or PATH_PROTECTED. */
  take(directive: MediaDirective, maxBytes: number): Promise<OutboundMedia>
}

export interface OutgoingFilesOptions {
  readonly cache: MediaCache
  /** Only what lies in these folders may leave; absent: everything that the caller may read. */
  readonly roots?: readonly string[]
  /** Where a relative path begins. */
  readonly folder: string
}

export function openOutgoingFiles({ cache, roots, folder }: OutgoingFilesOptions): OutgoingFiles {
  return {
    take: async (directive, maxBytes) => {
      const written = isAbsolute(directive.path) ? directive.path : join(folder, directive.path)
      const path = await realpath(written).catch(() => undefined)
      if (path === undefined || !(await stat(path)).isFile()) throw fail('MEDIA_MISSING', { path: directive.path })
      if (roots && !(await isInside(path, roots))) throw fail('PATH_PROTECTED', { path: directive.path })
      const kind = kindOf(directive)
      const name = basename(path)
      const blob = await cache.store(createReadStream(path), { kind, mime: mimeOf(path), name, maxBytes })
      return { blob, kind }
    },
  }
}

async function isInside(path: string, roots: readonly string[]): Promise<boolean> {
  const real = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)))
  return real.some((root) => root !== undefined && path.startsWith(`${root}${sep}`))
}
