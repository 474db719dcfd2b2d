import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import { useEffect, useRef, useState } from 'react'
import type { TerminalMessage } from '../../../src/dashboard/ws/serve-terminal.ts'
import { useApp } from '../net/app.ts'
import { Button } from '../parts/button.tsx'
import { Note } from '../parts/notes.tsx'
import { Page } from '../parts/page.tsx'
import { allowStyles } from './allow-styles.ts'

/** Colours that can be read on its ground. The terminal cannot make them so itself: it would write them into elements, which the page's policy refuses. */
const theme = {
  ...{ background: '#000000', foreground: '#ffffff', red: '#ff7b72', green: '#56d364', yellow: '#e3b341' },
  ...{ blue: '#79c0ff', magenta: '#d2a8ff', cyan: '#56d4dd', brightBlack: '#9198a1' },
}

type End = { readonly code: number } | { readonly why: string }

/** The chat of the terminal, as `agent chat` shows it. It ends when the page is left. */
export function TerminalPage() {
  const [round, setRound] = useState(0)
  const [end, setEnd] = useState<End>()
  const again = () => {
    setEnd(undefined)
    setRound(round + 1)
  }
  return (
    <Page title="Terminal" about="The same agent as at a terminal, with its commands. It ends when you leave this page; the session stays.">
      {end && (
        <Note tone="warn">
          <p>{'code' in end ? `It has ended with code ${end.code}.` : end.why}</p>
          <Button onPress={again}>Open it again</Button>
        </Note>
      )}
      <Screen key={round} onEnd={setEnd} />
    </Page>
  )
}

function Screen({ onEnd }: { readonly onEnd: (end: End) => void }) {
  const { openTerminal } = useApp()
  const box = useRef<HTMLElement>(null)
  const ended = useRef(onEnd)
  ended.current = onEnd
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const stopAllowing = allowStyles(document)
    const terminal = new Terminal({ fontSize: 13, scrollback: 5000, screenReaderMode: true, theme })
    const fit = new FitAddon()
    terminal.loadAddon(fit)
    terminal.open(element)
    fit.fit()
    terminal.focus()
    const stop = connect(terminal, { openTerminal, onEnd: (end) => ended.current(end) })
    const watcher = new ResizeObserver(() => fit.fit())
    watcher.observe(element)
    return () => {
      watcher.disconnect()
      stop()
      terminal.dispose()
      stopAllowing()
    }
  }, [openTerminal])
  return <section className="terminal card" aria-label="Terminal" ref={box} />
}

interface Connecting {
  readonly openTerminal: (columns: number, rows: number) => Promise<WebSocket>
  readonly onEnd: (end: End) => void
}

function connect(terminal: Terminal, { openTerminal, onEnd }: Connecting): () => void {
  let gone = false
  let exit: number | undefined
  let socket: WebSocket | undefined
  const send = (message: object) => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message))
  terminal.onData((data) => send({ type: 'input', data }))
  terminal.onResize(({ cols, rows }) => send({ type: 'resize', columns: cols, rows }))
  openTerminal(terminal.cols, terminal.rows).then(
    (opened) => {
      if (gone) return opened.close()
      socket = opened
      opened.onmessage = ({ data }) => {
        const message: TerminalMessage = JSON.parse(String(data))
        if (message.type === 'output') terminal.write(message.data)
        else exit = message.code
      }
      opened.onclose = ({ reason }) => {
        if (!gone) onEnd(exit === undefined ? { why: reason || 'The connection to the dashboard was lost.' } : { code: exit })
      }
      send({ type: 'resize', columns: terminal.cols, rows: terminal.rows })
      return undefined
    },
    () => onEnd({ why: 'The dashboard cannot be reached.' }),
  )
  return () => {
    gone = true
    socket?.close()
  }
}
