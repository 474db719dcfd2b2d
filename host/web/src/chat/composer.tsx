import { type KeyboardEvent, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import type { ChatSession } from './chat-session.ts'
import type { Entry, Queue } from './queue.ts'

export interface ComposerProps {
  readonly busy: boolean
  readonly onSend: (text: string) => void
  readonly onStop: (() => void) | undefined
}

/** Enter sends, Shift-Enter makes a new line. What is written while the agent works waits in the queue. */
export function Composer({ busy, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState('')
  const send = () => {
    if (text.trim() === '' || busy) return
    onSend(text.trim())
    setText('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <div className="composer">
      <textarea
        className="input"
        rows={1}
        aria-label="Message to the agent"
        placeholder={onStop ? 'Write what comes next …' : 'Write to the agent …'}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {onStop && <Button onPress={onStop}>Stop</Button>}
      <Button look="primary" busy={busy} disabled={text.trim() === ''} onPress={send}>
        {onStop ? 'Queue' : 'Send'}
      </Button>
    </div>
  )
}

export function QueueList({ queue, session }: { readonly queue: Queue; readonly session: ChatSession }) {
  if (queue.length === 0) return null
  return (
    <ul className="queue" aria-label="Waiting to be sent">
      {queue.map((entry) => (
        <li key={entry.id}>
          {entry.editing ? <EditEntry entry={entry} session={session} /> : <WaitingEntry entry={entry} session={session} />}
        </li>
      ))}
    </ul>
  )
}

interface EntryProps {
  readonly entry: Entry
  readonly session: ChatSession
}

function WaitingEntry({ entry, session }: EntryProps) {
  return (
    <>
      <span className="text">{entry.text}</span>
      {entry.failure && <span className="fault">{entry.failure}</span>}
      {entry.sending && <span className="muted small">sending …</span>}
      {entry.failure && (
        <Button tiny onPress={() => session.edit(entry.id, { failure: undefined })}>
          Send
        </Button>
      )}
      <Button tiny look="plain" disabled={entry.sending === true} onPress={() => session.edit(entry.id, { editing: true })}>
        Edit
      </Button>
      <Button tiny look="plain" disabled={entry.sending === true} onPress={() => session.remove(entry.id)}>
        Remove
      </Button>
    </>
  )
}

function EditEntry({ entry, session }: EntryProps) {
  const [text, setText] = useState(entry.text)
  return (
    <div className="grow stack">
      <TextField label="Waiting message" rows={3} value={text} onChange={setText} />
      <div className="line">
        <Button
          tiny
          look="primary"
          disabled={text.trim() === ''}
          onPress={() => session.edit(entry.id, { text, editing: false, failure: undefined })}
        >
          Keep
        </Button>
        <Button tiny onPress={() => session.edit(entry.id, { editing: false })}>
          Cancel
        </Button>
      </div>
    </div>
  )
}
