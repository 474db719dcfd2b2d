import type { SerializedAXNode } from './library.ts'
import { plain } from './plain.ts'

/** Roles of elements that somebody uses. */
const usable = new Set([
  ...[
    'button',
    'link',
    'textbox',
    'searchbox',
    'combobox',
    'listbox',
    'option',
    'checkbox',
    'radio',
    'switch',
    'slider',
    'spinbutton',
    'tab',
  ],
  ...['menuitem', 'menuitemcheckbox', 'menuitemradio', 'treeitem', 'DisclosureTriangle', 'Date', 'DateTime', 'ColorWell', 'InputTime'],
])
/** Roles that say where in the page one is. */
const landmarks = new Set(['heading', 'dialog', 'alertdialog', 'alert', 'status', 'form', 'Iframe'])
/** A button says its name once. */
const sayTheirName = new Set(['button', 'link', 'option', 'tab', 'menuitem', 'heading', 'checkbox', 'radio', 'switch'])
const longestName = 200
const deepest = 40

const states = ['disabled', 'expanded', 'focused', 'selected', 'checked', 'pressed', 'required', 'readonly', 'invalid'] as const

export interface PageText {
  readonly text: string
  /** Elements by the names that the text gives them. */
  readonly refs: ReadonlyMap<string, SerializedAXNode>
}

export interface PageTextOptions {
  /** Everything, not only what can be used. */
  readonly full: boolean
  readonly mostCharacters: number
  /** An element has the same name as long as it is there. */
  readonly nameOf: (node: SerializedAXNode) => string
}

/** The tree of a page as indented lines, with a name for each element that can be used. */
export function formatPage(root: SerializedAXNode, { full, mostCharacters, nameOf }: PageTextOptions): PageText {
  const refs = new Map<string, SerializedAXNode>()
  const lines: string[] = []
  let length = 0
  let left = 0
  const show = (node: SerializedAXNode, depth: number): void => {
    const line = `${'  '.repeat(Math.min(depth, deepest))}- ${describe(node)}`
    length += line.length + 1
    if (length > mostCharacters) left += 1
    else if (usable.has(node.role)) {
      const name = nameOf(node)
      refs.set(name, node)
      lines.push(`${line} [${name}]`)
    } else lines.push(line)
  }
  const walk = (node: SerializedAXNode, depth: number): void => {
    for (const child of childrenOf(node)) {
      const shown = isShown(child, full)
      if (shown) show(child, depth)
      walk(child, shown ? depth + 1 : depth)
    }
  }
  // The first node is the page, of which the title is said elsewhere.
  walk(root, 0)
  if (left > 0) lines.push(`… ${left} more elements left out …`)
  return { text: lines.join('\n'), refs }
}

function isShown(node: SerializedAXNode, full: boolean): boolean {
  return full ? !isEmpty(node) : usable.has(node.role) || landmarks.has(node.role)
}

/** Without the text in a button, which is its name. */
function childrenOf(parent: SerializedAXNode): readonly SerializedAXNode[] {
  const all = parent.children ?? []
  if (!sayTheirName.has(parent.role)) return all
  return all.filter(({ role, name = '' }) => role !== 'StaticText' || !(parent.name ?? '').includes(name.trim()))
}

function isEmpty({ role, name = '', value }: SerializedAXNode): boolean {
  return (role === 'StaticText' || role === 'generic' || role === 'none') && name.trim() === '' && value === undefined
}

function describe(node: SerializedAXNode): string {
  const { role, name = '', value = '', level, description = '' } = node
  if (role === 'StaticText') return oneLine(name)
  const told = states.filter((state) => node[state] !== undefined && node[state] !== false && node[state] !== 'false')
  const parts = [
    role === 'RootWebArea' ? 'frame' : role.toLowerCase(),
    name.trim() && JSON.stringify(oneLine(name)),
    level === undefined ? '' : `(level ${level})`,
    String(value) && `= ${JSON.stringify(oneLine(String(value)))}`,
    description && `(${oneLine(description)})`,
    ...told.map((state) => (node[state] === 'mixed' ? `${state}: mixed` : state)),
  ]
  return parts.filter((part) => part !== '').join(' ')
}

const oneLine = (text: string): string => plain(text, longestName)
