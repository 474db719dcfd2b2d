import { useState } from 'react'
import type { Session } from '../../../src/dashboard/api.ts'
import { useApp, useData, useDoing } from '../net/app.ts'
import { hrefOf } from '../net/route.ts'
import { Button } from '../parts/button.tsx'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { Empty, ErrorNote, Loaded } from '../parts/notes.tsx'
import { Ago, Page, Row } from '../parts/page.tsx'

const step = 50

interface Over {
  readonly what: 'rename' | 'delete'
  readonly session: Session
}

export function SessionsPage() {
  const [text, setText] = useState('')
  const [limit, setLimit] = useState(step)
  const wanted = text.trim()
  const data = useData(wanted === '' ? 'GET sessions' : 'GET sessions/search', { query: wanted === '' ? { limit } : { q: wanted } })
  const [over, setOver] = useState<Over>()
  const close = () => setOver(undefined)
  const done = () => {
    close()
    data.reload()
  }
  return (
    <Page title="Sessions" about="Every conversation, on every platform.">
      <TextField kind="search" label="Search in what was said" value={text} onChange={setText} />
      <Loaded data={data}>
        {({ sessions, more }) =>
          sessions.length === 0 ? (
            <Empty title={wanted === '' ? 'Nothing was said yet' : 'Nobody said this'}>
              {wanted === '' ? 'A conversation is listed here from its first answer on.' : 'Try fewer or other words.'}
            </Empty>
          ) : (
            <>
              <ul className="rows">
                {sessions.map((session) => (
                  <SessionRow key={session.id} session={session} onOver={setOver} />
                ))}
              </ul>
              {more && <Button onPress={() => setLimit(limit + step)}>Show older ones</Button>}
            </>
          )
        }
      </Loaded>
      {over?.what === 'rename' && <RenameDialog session={over.session} onDone={done} onClose={close} />}
      {over?.what === 'delete' && <DeleteDialog session={over.session} onDone={done} onClose={close} />}
    </Page>
  )
}

const nameOf = ({ title, preview, id }: Session): string => title ?? (preview || id)

function SessionRow({ session, onOver }: { readonly session: Session; readonly onOver: (over: Over) => void }) {
  const { api } = useApp()
  const { busy, error, run } = useDoing()
  const name = nameOf(session)
  const save = () =>
    run(async () => {
      const answer = await api.ask('GET sessions/{id}/messages', { params: { id: session.id } })
      download(`${session.id}.json`, JSON.stringify(answer, undefined, 2))
    })
  return (
    <Row
      name={<a href={hrefOf('chat', session.id)}>{name}</a>}
      about={
        <>
          {`${session.source} · ${session.model} · ${session.messages} messages · `}
          <Ago at={session.updatedAt} />
          <ErrorNote error={error} />
        </>
      }
      end={
        <>
          <Button tiny look="plain" onPress={() => onOver({ what: 'rename', session })} label={`Rename ${name}`}>
            Rename
          </Button>
          <Button tiny look="plain" busy={busy} onPress={save} label={`Export ${name}`}>
            Export
          </Button>
          <Button tiny look="plain" onPress={() => onOver({ what: 'delete', session })} label={`Delete ${name}`}>
            Delete
          </Button>
        </>
      }
    />
  )
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

interface OverProps {
  readonly session: Session
  readonly onDone: () => void
  readonly onClose: () => void
}

function RenameDialog({ session, onDone, onClose }: OverProps) {
  const { api } = useApp()
  const { busy, error, run } = useDoing()
  const [title, setTitle] = useState(session.title ?? '')
  const save = () =>
    run(async () => {
      await api.ask('PATCH sessions/{id}', { params: { id: session.id }, body: { title } })
      onDone()
    })
  return (
    <Dialog title="Rename session" onClose={onClose}>
      <TextField label="Title" value={title} onChange={setTitle} />
      <ErrorNote error={error} />
      <div className="line">
        <Button look="primary" busy={busy} disabled={title.trim() === ''} onPress={save}>
          Rename
        </Button>
      </div>
    </Dialog>
  )
}

function DeleteDialog({ session, onDone, onClose }: OverProps) {
  const { api } = useApp()
  const { busy, error, run } = useDoing()
  const remove = () =>
    run(async () => {
      await api.ask('DELETE sessions/{id}', { params: { id: session.id } })
      onDone()
    })
  return (
    <Confirm
      title="Delete session"
      action={`Delete "${nameOf(session).slice(0, 40)}"`}
      busy={busy}
      error={error}
      onConfirm={remove}
      onClose={onClose}
    >
      {`Its ${session.messages} messages are gone for good. Export it first if you want to keep them.`}
    </Confirm>
  )
}
