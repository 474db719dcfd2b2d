import { useState } from 'react'
import type { Changed } from '../../../../src/dashboard/api.ts'
import type { UnknownAnswer } from '../../../../src/dashboard/api-gateway.ts'
import type { Api } from '../../net/api.ts'
import { useApp, useData, useDoing, useTold } from '../../net/app.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { ErrorNote, Loaded } from '../../parts/notes.tsx'
import { Ago, Row } from '../../parts/page.tsx'

/** Answers of which nobody knows whether they arrived: somebody looks into the conversation and says what holds. */
export function UnknownSends({ onDone }: { readonly onDone: () => void }) {
  const data = useData('GET gateway/unknown', {}, 3000)
  const done = () => {
    data.reload()
    onDone()
  }
  return (
    <Loaded data={data}>
      {({ sends }) => (
        <>
          <p className="muted">
            Nobody knows whether these answers arrived. Look into their conversations; people there were told that something may be missing.
          </p>
          <ul className="rows" aria-label="Unknown whether sent">
            {sends.map((send) => (
              <SendRow key={send.seq} send={send} onDone={done} />
            ))}
          </ul>
        </>
      )}
    </Loaded>
  )
}

interface Way {
  readonly ask: (api: Api, id: string) => Promise<Changed>
  readonly words: string
  /** Asked before; absent where nothing can go wrong by it. */
  readonly question?: string
}

const ways: readonly Way[] = [
  {
    ask: (api, id) => api.ask('POST gateway/unknown/{id}/resend', { params: { id } }),
    words: 'Send again',
    question:
      'Where the platform can tell, it is asked once more whether the answer arrived, and nothing is doubled. Where it cannot, the answer is sent, and may stand there twice.',
  },
  {
    ask: (api, id) => api.ask('POST gateway/unknown/{id}/settle', { params: { id }, body: { fate: 'arrived' } }),
    words: 'It arrived',
  },
  {
    ask: (api, id) => api.ask('POST gateway/unknown/{id}/settle', { params: { id }, body: { fate: 'lost' } }),
    words: 'Give up',
    question: 'Nobody sends this answer any more. It stands among the failures for a week.',
  },
]

function SendRow({ send, onDone }: { readonly send: UnknownAnswer; readonly onDone: () => void }) {
  const { api } = useApp()
  const told = useTold()
  const { busy, error, run, clear } = useDoing()
  const [asked, setAsked] = useState<Way>()
  const take = (way: Way) =>
    run(async () => {
      told(await way.ask(api, String(send.seq)))
      setAsked(undefined)
      onDone()
    })
  const name = send.text === '' ? 'A file without words' : send.text
  return (
    <Row
      state={<Badge tone="warn">unknown</Badge>}
      name={name}
      about={
        <>
          {send.platform} · {send.name ?? send.conversation} · <Ago at={send.at} />
          <br />
          {send.problem}
          <ErrorNote error={asked ? undefined : error} />
          {asked && (
            <Confirm
              {...{ title: asked.words, action: asked.words, keep: 'Not now', busy, error }}
              onConfirm={() => take(asked)}
              onClose={() => {
                clear()
                setAsked(undefined)
              }}
            >
              {asked.question}
            </Confirm>
          )}
        </>
      }
      end={ways.map((way) => (
        <Button
          key={way.words}
          tiny
          disabled={busy}
          label={`${way.words}: ${name}`}
          onPress={() => (way.question ? setAsked(way) : take(way))}
        >
          {way.words}
        </Button>
      ))}
    />
  )
}
