import { useState } from 'react'
import type { SessionEvent } from '../../../src/rpc/protocol.ts'
import { useApp, useDoing } from '../net/app.ts'
import { Button } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { TextField } from '../parts/field.tsx'
import { ErrorNote } from '../parts/notes.tsx'

type EventOf<T extends SessionEvent['type']> = Extract<SessionEvent, { readonly type: T }>

const choiceNames: Readonly<Record<string, string>> = {
  once: 'Allow once',
  session: 'Allow in this session',
  always: 'Always allow',
  deny: 'Deny',
}

const places = { sandbox: 'It runs in the sandbox', machine: 'It runs on this machine, outside of the sandbox' } as const

/** Some reasons are the rest of a sentence: `it deletes folders`. */
function toSentence(reason: string): string {
  const text = reason.charAt(0).toUpperCase() + reason.slice(1)
  return reason === '' || /[.!?]$/.test(reason) ? text : `${text}.`
}

/** The tool waits for a person: what would be done, why it is asked, and the answers. */
export function ApprovalNote({ ask, open }: { readonly ask: EventOf<'approval.request'>; readonly open: boolean }) {
  const { socket } = useApp()
  const { busy, error, run } = useDoing()
  const [answered, setAnswered] = useState(false)
  const answer = (choice: string) =>
    run(async () => {
      await socket.call('approval.respond', { request_id: ask.id, choice })
      setAnswered(true)
    })
  const isOpen = open && !answered
  return (
    <div className={isOpen ? 'note warn' : 'note'}>
      <strong>{isOpen ? `May ${ask.tool} do this?` : `${ask.tool} asked for permission.`}</strong>
      <CodeBlock wrap label="what is asked for" text={ask.subject} />
      <p>
        {[toSentence(ask.reason), ask.where && `${places[ask.where]}${ask.folder ? `, in ${ask.folder}` : ''}.`].filter(Boolean).join(' ')}
      </p>
      {isOpen && (
        <div className="line">
          {ask.choices.map((choice) => (
            <Button key={choice} busy={busy} {...(choice === 'deny' && { look: 'danger' as const })} onPress={() => answer(choice)}>
              {choiceNames[choice] ?? choice}
            </Button>
          ))}
        </div>
      )}
      <ErrorNote error={error} />
    </div>
  )
}

export function ClarifyNote({ ask, open }: { readonly ask: EventOf<'clarify.request'>; readonly open: boolean }) {
  const { socket } = useApp()
  const { busy, error, run } = useDoing()
  const [text, setText] = useState('')
  const [answered, setAnswered] = useState(false)
  const answer = (words: string) =>
    run(async () => {
      await socket.call('clarify.respond', { request_id: ask.id, text: words })
      setAnswered(true)
    })
  const isOpen = open && !answered
  return (
    <div className={isOpen ? 'note warn' : 'note'}>
      <strong>{ask.question}</strong>
      {isOpen && (
        <>
          <div className="line">
            {ask.choices.map((choice) => (
              <Button key={choice} busy={busy} onPress={() => answer(choice)}>
                {choice}
              </Button>
            ))}
          </div>
          <TextField label="Your answer" value={text} onChange={setText} />
          <Button look="primary" busy={busy} disabled={text.trim() === ''} onPress={() => answer(text)}>
            Answer
          </Button>
        </>
      )}
      <ErrorNote error={error} />
    </div>
  )
}
