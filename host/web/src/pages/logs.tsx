import { useState } from 'react'
import { useData } from '../net/app.ts'
import { Badge } from '../parts/badge.tsx'
import { CheckField, SelectField, TextField } from '../parts/field.tsx'
import { Empty, Loaded } from '../parts/notes.tsx'
import { Page } from '../parts/page.tsx'

const files = ['agent', 'errors', 'gateway'].map((file) => ({ value: file, name: file }))
const levels = [
  { value: '', name: 'All' },
  ...['debug', 'info', 'warn', 'error'].map((level) => ({ value: level, name: `${level} and above` })),
]
const every = 2000

export function LogsPage() {
  const [file, setFile] = useState('agent')
  const [level, setLevel] = useState('')
  const [text, setText] = useState('')
  const [follow, setFollow] = useState(true)
  const data = useData('GET logs', { query: { file, lines: 300, level: level || undefined } }, follow ? every : undefined)
  return (
    <Page title="Logs" about="What the program wrote down, newest first. Secrets are masked.">
      <div className="filters">
        <SelectField label="File" value={file} choices={files} onChange={setFile} />
        <SelectField label="Level" value={level} choices={levels} onChange={setLevel} />
        <TextField kind="search" label="Find" value={text} onChange={setText} />
        <CheckField label="Follow" checked={follow} onChange={setFollow} />
      </div>
      <Loaded data={data}>
        {({ lines }) => {
          const found = lines.filter((line) => line.text.toLowerCase().includes(text.toLowerCase())).toReversed()
          if (found.length === 0)
            return (
              <Empty title={lines.length === 0 ? 'Nothing was written yet' : 'No line has these words'}>
                Lower the level, or look into another file.
              </Empty>
            )
          return (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by key.
            <section className="log card" aria-label="Lines of the log" tabIndex={0}>
              {[...found.entries()].map(([at, line]) => (
                <LogLine key={found.length - at} line={line} />
              ))}
            </section>
          )
        }}
      </Loaded>
    </Page>
  )
}

const loud = { warn: 'warn', error: 'bad' } as const

function LogLine({ line: { at, level, text } }: { readonly line: { readonly at: string; readonly level: string; readonly text: string } }) {
  const tone = level === 'warn' || level === 'error' ? loud[level] : undefined
  return (
    <div className="log-line">
      <time className="muted figures">{at}</time>
      {tone ? <Badge tone={tone}>{level}</Badge> : <span className="muted">{level}</span>}
      <span className="mono">{text}</span>
    </div>
  )
}
