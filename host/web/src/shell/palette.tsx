import { type KeyboardEvent, useState } from 'react'
import { useData } from '../net/app.ts'
import { go } from '../net/route.ts'
import { Dialog } from '../parts/dialog.tsx'
import { groupOf, pages } from './pages.ts'
import { keepTheme } from './theme.ts'

interface Command {
  readonly name: string
  readonly group: string
  readonly run: () => void
}

const commands: readonly Command[] = [
  ...pages.map(({ id, name, group }) => ({ name, group, run: () => go(id) })),
  { name: 'New chat', group: 'Talk', run: () => go('chat') },
  { name: 'Theme: light', group: 'Theme', run: () => keepTheme('light') },
  { name: 'Theme: dark', group: 'Theme', run: () => keepTheme('dark') },
  { name: 'Theme: as the system', group: 'Theme', run: () => keepTheme('system') },
]

/** Every page and action by a few letters; arrows choose, Enter does it. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const { value } = useData('GET panels')
  const panels = (value?.panels ?? []).map(({ id, name, group }) => ({ name, group: groupOf[group], run: () => go('panel', id) }))
  const found = [...commands, ...panels].filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
  const chosen = Math.min(at, found.length - 1)
  const run = (command: Command | undefined) => {
    if (command === undefined) return
    onClose()
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, found.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0))
    else if (event.key === 'Enter') run(found[chosen])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        className="input"
        type="search"
        role="combobox"
        aria-label="Page or action"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${chosen}` : undefined}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      {found.length === 0 && <p className="muted">Nothing has this name. Try fewer letters.</p>}
      <div className="palette-list" role="listbox" id="palette-list" aria-label="Pages and actions">
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and does what Enter asks for.
          <div
            key={command.name}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => run(command)}
          >
            {command.name}
            <span className="muted small">{command.group}</span>
          </div>
        ))}
      </div>
    </Dialog>
  )
}
