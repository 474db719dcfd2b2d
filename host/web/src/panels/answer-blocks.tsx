import { Badge } from '../parts/badge.tsx'
import { Bars } from '../parts/bars.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { Loaded } from '../parts/notes.tsx'
import { Row } from '../parts/page.tsx'
import { Table } from '../parts/table.tsx'
import { askOf, type BlockProps } from './block-props.ts'
import { useAnswer } from './use-answer.ts'

export function MarkdownBlock(props: BlockProps<'markdown'>) {
  const data = useAnswer('markdown', askOf(props, props.block.from ?? ''), props.every)
  return (
    <Loaded data={data}>{({ text }) => (text.trim() === '' ? props.empty('There is nothing to read.') : <Markdown text={text} />)}</Loaded>
  )
}

/** The names of so many stand below the bars at once: it is they that are compared. */
const fewPoints = 8

export function ChartBlock(props: BlockProps<'chart'>) {
  const { label, unit, from } = props.block
  const data = useAnswer('chart', askOf(props, from), props.every)
  return (
    <Loaded data={data}>
      {({ points }) =>
        points.length === 0 ? (
          props.empty('There are no figures yet.')
        ) : (
          <figure>
            <figcaption className="muted small">{unit === '' ? label : `${label} (${unit})`}</figcaption>
            <Bars label={label} values={points} />
            <details open={points.length <= fewPoints}>
              <summary>As a table</summary>
              <Table
                label={label}
                columns={[
                  { name: 'Name', show: ({ name }) => name },
                  { name: label, number: true, show: ({ value }) => value.toLocaleString('en') },
                ]}
                rows={points}
                keyOf={({ name }) => name}
              />
            </details>
          </figure>
        )
      }
    </Loaded>
  )
}

const loud = new Map([
  ['warn', 'warn'],
  ['error', 'bad'],
] as const)

/** The newest line first. */
export function LogBlock(props: BlockProps<'log'>) {
  const { panel, block, empty } = props
  const data = useAnswer('log', askOf(props, block.from), props.every)
  return (
    <Loaded data={data}>
      {({ lines }) =>
        lines.length === 0 ? (
          empty(block.empty)
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by key.
          <section className="log card" aria-label={block.title ?? panel.name} tabIndex={0}>
            {[...lines.entries()].toReversed().map(([at, line]) => {
              const tone = loud.get(line.level as 'warn' | 'error')
              return (
                <div className="log-line" key={at}>
                  <span className="muted figures">{line.at === undefined ? '' : formatTime(new Date(line.at))}</span>
                  {tone ? <Badge tone={tone}>{line.level}</Badge> : <span className="muted">{line.level}</span>}
                  <span className="mono">{line.text}</span>
                </div>
              )
            })}
          </section>
        )
      }
    </Loaded>
  )
}

/** As the files of the logs have it. */
function formatTime(time: Date): string {
  const [year, ...rest] = [time.getFullYear(), time.getMonth() + 1, time.getDate(), time.getHours(), time.getMinutes(), time.getSeconds()]
  const [month, day, hours, minutes, seconds] = rest.map((part) => String(part).padStart(2, '0'))
  return `${year}-${month}-${day} ${hours}:${minutes}:${seconds}`
}

/** Days with what happens on them, the next one first. */
export function CalendarBlock(props: BlockProps<'calendar'>) {
  const data = useAnswer('calendar', askOf(props, props.block.from), props.every)
  return (
    <Loaded data={data}>
      {({ events }) =>
        events.length === 0 ? (
          props.empty('Nothing is planned.')
        ) : (
          <ul className="rows">
            {[...events]
              .sort((one, other) => one.at - other.at)
              .map(({ at, title, detail }, index) => (
                <Row
                  // biome-ignore lint/suspicious/noArrayIndexKey: two events may be the same.
                  key={index}
                  state={<time className="figures">{new Date(at).toLocaleString()}</time>}
                  name={title}
                  about={detail}
                />
              ))}
          </ul>
        )
      }
    </Loaded>
  )
}
