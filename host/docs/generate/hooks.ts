import { type HookName, hookKinds } from '@agent/plugin-sdk'
import { code, formatPage, formatTable, type Page } from './markdown.ts'

const meanings = {
  gate: 'may refuse; a tap that fails or takes too long refuses',
  modify: 'may change the payload; a tap that fails is skipped',
  observe: 'is told',
}

/** Every hook with what it hands over; the fields are read from the source of the list. */
export function describeHooks(source: string): Page {
  const rows = Object.entries(hookKinds).map(([name, kind]) => [code(name), kind, meanings[kind], fieldsOf(source, name as HookName)])
  return formatPage('hooks', 'Hooks', [
    'The list is closed. Plugins tap hooks by a contribution of the kind `hooks`.',
    formatTable(['hook', 'class', 'a tap', 'payload'], rows),
  ])
}

function fieldsOf(source: string, name: HookName): string {
  const [, inside, named] = new RegExp(`'${name}': (?:\\{([^}]*)\\}|(\\w+))`).exec(source) ?? []
  if (named !== undefined) return code(named)
  const fields = [...(inside ?? '').matchAll(/readonly (\w+): ([^;\n]+)/g)].map(([, field, type]) => code(`${field}: ${type?.trim()}`))
  if (fields.length === 0) throw new Error(`The payload of ${name} was not found.`)
  return fields.join(', ')
}
