import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isAgentError } from '../../contract/errors.ts'

const frame = /^ +at (?:.*\()?(?:async )?(file:\/\/[^()\n]+?|[^()\n]+?):(\d+):(\d+)\)?$/

/** An error that says where in the sources of a plugin it began, where a stack in the log of its case tells. */
export function placeFault(error: unknown, log: readonly string[], root: string): unknown {
  const place = findPlace(log, root)
  if (place === undefined || !isAgentError(error)) return error
  const word = ({ CONTRACT_BROKEN: 'problem', INTERNAL: 'detail' } as const)[error.code]
  return word === undefined
    ? error
    : Object.assign(error, { params: { ...error.params, [word]: `${String(error.params[word])} (${place})` } })
}

/** `src/note.ts:12:7`: the innermost frame that lies in the folder of the plugin. */
function findPlace(log: readonly string[], root: string): string | undefined {
  for (const line of log) {
    const [, file = '', row, column] = frame.exec(line) ?? []
    const path = file.startsWith('file:') ? fileURLToPath(file) : file
    if (path.startsWith(root + sep)) return `${relative(root, path)}:${row}:${column}`
  }
  return undefined
}
