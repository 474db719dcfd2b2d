import { errors } from '@agent/plugin-sdk/errors'
import { publishRefusals } from '#kernel/package/publish-refusals.ts'
import { refusals } from '#kernel/package/refusals.ts'
import { reasons } from '#kernel/reasons.ts'
import { code, formatPage, formatTable, type Page } from './markdown.ts'

type Write = (params: unknown) => string

/** Answers every parameter with its name, so that a sentence shows what it is told. */
const names: unknown = new Proxy({}, { get: (_target, name) => (name === 'nearest' ? undefined : `<${String(name)}>`) })

function write(text: unknown): string {
  // A sentence that computes with a name gets no number.
  return (text as Write)(names)
    .replaceAll(/<(\w+)>/g, '‹$1›')
    .replaceAll('NaN', '‹number›')
}

/** Every error that leaves the program. */
export function describeErrors(): Page {
  const rows = Object.entries(errors).map(([name, { status, text }]) => [code(name), String(status), write(text)])
  return formatPage('errors', 'Error codes', [
    'Codes are never renamed. The status is that of an HTTP answer; ‹words› are filled in.',
    formatTable(['code', 'status', 'sentence'], rows),
  ])
}

/** Why a plugin does not run, and what to do. */
export function describeReasons(): Page {
  const rows = Object.entries(reasons).map(([name, { text, fix }]) => [code(name), write(text), write(fix)])
  return formatPage('reasons', 'Why a plugin does not run', [
    '`agent plugins why <plugin>` prints the reason of one plugin and its remedy.',
    formatTable(['reason', 'the plugin is off because', 'what to do'], rows),
  ])
}

/** Why a package is not installed, or not published. */
export function describeRefusals(): Page {
  const rowsOf = (list: object): readonly (readonly string[])[] => Object.entries(list).map(([name, text]) => [code(name), write(text)])
  return formatPage('refusals', 'Why a package is not installed or not published', [
    'The error `PLUGIN_REFUSED` carries one of these as `reason`. Whatever it is, nothing was changed.',
    formatTable(['reason', 'the package was refused because'], rowsOf(refusals)),
    'These keep a plugin from being published:',
    formatTable(['reason', 'what is said'], rowsOf(publishRefusals)),
  ])
}
