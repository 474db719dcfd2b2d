import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useRef, useState } from 'react'
import type { PromptFile } from '../../../src/rpc/protocol.ts'
import { useDraft } from '../net/use-draft.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import type { ChatSession } from './chat-session.ts'
import { noFiles, useDraftFiles } from './draft-files.ts'
import { FileList as FileChips } from './file-list.tsx'
import { addFiles, nameOf, shownFile } from './files.ts'
import type { Entry, Queue } from './queue.ts'

export interface ComposerProps {
  /** Where what is typed is kept. */
  readonly draftKey: string
  readonly busy: boolean
  /** Says why the message cannot be taken; what was typed stays until it is. */
  readonly onSend: (text: string, files: readonly PromptFile[]) => Promise<string | undefined>
  readonly onStop: (() => void) | undefined
}

/** Enter sends, Shift-Enter makes a new line. What is written while the agent works waits in the queue. Files are picked, dropped or pasted. */
export function Composer({ draftKey, busy, onSend, onStop }: ComposerProps) {
  const [text, setText] = useDraft(draftKey)
  const { shown, now, change } = useDraftFiles(`${draftKey} files`)
  const { files, problems } = shown
  const reading = shown.reading.length > 0
  const picker = useRef<HTMLInputElement>(null)
  const isEmpty = text.trim() === '' && files.length === 0
  const send = async () => {
    if (isEmpty || busy || reading) return
    const problem = await onSend(text.trim(), files)
    if (problem !== undefined) return change({ problems: [problem] })
    setText('')
    change(noFiles)
  }
  const take = (given: FileList | null) => {
    if (!given || given.length === 0 || reading) return
    change({ reading: [...given].map(nameOf), problems: [] })
    void addFiles(files, [...given])
      // What is removed meanwhile stays away.
      .then((added) => change({ files: [...now().files, ...added.files.slice(files.length)], problems: added.problems }))
      .finally(() => change({ reading: [] }))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void send()
  }
  const onPaste = (event: ClipboardEvent) => {
    // A page that is copied comes as text and as a picture of it: then the text is meant.
    if (event.clipboardData.files.length === 0 || event.clipboardData.getData('text/plain') !== '') return
    event.preventDefault()
    take(event.clipboardData.files)
  }
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    take(event.dataTransfer.files)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is dropped can be picked by the button as well.
    <div onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
      {problems.map((problem) => (
        <p key={problem} className="fault" role="alert">
          {problem}
        </p>
      ))}
      <FileChips
        files={files.map(shownFile)}
        onRemove={(at) => change({ files: files.filter((_, index) => index !== at), problems: [] })}
      />
      <div className="composer">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label="Files for the message"
          onChange={(event) => {
            take(event.target.files)
            event.target.value = ''
          }}
        />
        <Button busy={reading} label="Add files" onPress={() => picker.current?.click()}>
          Add
        </Button>
        <textarea
          className="input"
          rows={1}
          aria-label="Message to the agent"
          placeholder={onStop ? 'Write what comes next …' : 'Write to the agent …'}
          value={text}
          readOnly={busy}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        {onStop && <Button onPress={onStop}>Stop</Button>}
        <Button look="primary" busy={busy} disabled={isEmpty || reading} onPress={() => void send()}>
          {onStop ? 'Queue' : 'Send'}
        </Button>
      </div>
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
      <FileChips files={(entry.files ?? []).map(shownFile)} />
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
          disabled={text.trim() === '' && entry.files === undefined}
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
