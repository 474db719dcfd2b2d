import type { ElementHandle, KeyInput, Page } from './library.ts'

/** What is longer comes at once, as if it were pasted. */
const typedByHand = 200

/** What of an element is used in the page; there are no types of pages here. */
interface Field {
  readonly options?: Iterable<Entry>
  readonly isContentEditable?: boolean
  readonly ownerDocument: { readonly defaultView: PageWindow }
  focus(): void
  select?(): void
  dispatchEvent(event: unknown): void
}

interface Entry {
  readonly label: string
  readonly value: string
  selected: boolean
}

interface PageWindow {
  getSelection(): { selectAllChildren(element: unknown): void }
  readonly Event: new (name: string, options: object) => unknown
}

/** Runs in the page: what kind of field it is, with everything in it selected. */
function selectAll(element: unknown): 'list' | 'field' | 'other' {
  const field = element as Field
  if (field.options !== undefined) return 'list'
  field.focus()
  if (field.select !== undefined) field.select()
  else if (field.isContentEditable) field.ownerDocument.defaultView.getSelection().selectAllChildren(element)
  else return 'other'
  return 'field'
}

/** Runs in the page: chooses an entry of a list; answers with what there is where none has this name. */
function choose(element: unknown, wanted: string): readonly string[] {
  const list = element as Field
  const entries = [...(list.options ?? [])]
  const found = entries.find(({ label, value }) => label.trim() === wanted.trim() || value === wanted)
  if (!found) return ['', ...entries.slice(0, 50).map(({ label }) => label.trim())]
  found.selected = true
  const { Event } = list.ownerDocument.defaultView
  for (const name of ['input', 'change']) list.dispatchEvent(new Event(name, { bubbles: true }))
  return []
}

/** Puts a text into a field in place of what it has, or chooses the entry of a list. */
export async function putText(page: Page, field: ElementHandle, text: string): Promise<void> {
  const kind = await field.evaluate(selectAll)
  if (kind === 'other') throw new Error('the element is no field that takes a text.')
  if (kind === 'list') {
    const [none, ...entries] = await field.evaluate(choose, text)
    if (none !== undefined) throw new Error(`the list has no entry ${JSON.stringify(text)}; it has ${entries.join(', ')}.`)
  } else if (text === '') await page.keyboard.press('Delete')
  else if (text.length <= typedByHand && !text.includes('\n')) await page.keyboard.type(text)
  else await page.keyboard.sendCharacter(text)
}

const names: Readonly<Record<string, string>> = { ctrl: 'Control', cmd: 'Meta', esc: 'Escape', return: 'Enter', space: 'Space' }

/** Presses a key, or several with a plus between them. */
export async function pressKeys(page: Page, keys: string): Promise<void> {
  const parts = keys === '+' ? ['+'] : keys.split('+').map((key) => names[key.toLowerCase()] ?? key)
  const held: KeyInput[] = []
  try {
    for (const key of parts.slice(0, -1)) {
      await page.keyboard.down(key as KeyInput)
      held.push(key as KeyInput)
    }
    await page.keyboard.press(parts.at(-1) as KeyInput)
  } finally {
    for (const key of held.reverse()) await page.keyboard.up(key)
  }
}
