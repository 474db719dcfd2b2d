import type { PanelBlock, PanelRecord } from '@agent/plugin-sdk'
import { useState } from 'react'
import type { PanelShown } from '../../../src/dashboard/api.ts'
import { SchemaForm } from '../forms/schema-form.tsx'
import { fieldsOf } from '../forms/schema-model.ts'
import { useApp, useDoing } from '../net/app.ts'
import { hrefOf } from '../net/route.ts'
import { Badge } from '../parts/badge.tsx'
import { Bars } from '../parts/bars.tsx'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { Empty, ErrorNote, Loaded } from '../parts/notes.tsx'
import { Row } from '../parts/page.tsx'
import { Table } from '../parts/table.tsx'
import { showField } from './show-field.tsx'
import { useAnswer, useRunPanel } from './use-answer.ts'

type BlockOf<Type extends PanelBlock['type']> = Extract<PanelBlock, { type: Type }>

export interface BlockProps<Type extends PanelBlock['type'] = PanelBlock['type']> {
  readonly panel: PanelShown
  readonly block: BlockOf<Type>
  readonly item: string
  /** Milliseconds after which it is asked again. */
  readonly every: number | undefined
  /** Something was changed: the other blocks of the page are asked again. */
  readonly onChanged: () => void
}

export function PanelBlockView(props: BlockProps) {
  const { block } = props
  switch (block.type) {
    case 'table':
      return <TableBlock {...props} block={block} />
    case 'detail':
      return <DetailBlock {...props} block={block} />
    case 'form':
      return <FormBlock {...props} block={block} />
    case 'markdown':
      return block.text === undefined ? <MarkdownBlock {...props} block={block} /> : <Markdown text={block.text} />
    case 'chart':
      return <ChartBlock {...props} block={block} />
    case 'log':
      return <LogBlock {...props} block={block} />
    case 'calendar':
      return <CalendarBlock {...props} block={block} />
  }
}

function asked({ panel, item }: Pick<BlockProps, 'panel' | 'item'>, method: string) {
  return { panel: panel.id, method, item }
}

function TableBlock(props: BlockProps<'table'>) {
  const { panel, block, every, onChanged } = props
  const { fields, key, opens, actions, empty } = block
  const data = useAnswer('table', asked(props, block.from), every)
  const nameOf = (row: PanelRecord): string => String(key === undefined ? '' : (row[key] ?? ''))
  const columns = fields.map(({ key: field, label, as }, index) => ({
    name: label,
    number: as === 'number' || as === 'bytes',
    show: ({ row }: Numbered) =>
      index === 0 && opens !== undefined ? (
        <a href={hrefOf('panel', `${panel.id}/${opens}/${nameOf(row)}`)}>{showField(row[field], as)}</a>
      ) : (
        showField(row[field], as)
      ),
  }))
  const buttons = {
    name: 'Actions',
    show: ({ row }: Numbered) => <Actions panel={panel} actions={actions} item={nameOf(row)} onDone={onChanged} />,
  }
  return (
    <Loaded data={data}>
      {({ rows }) =>
        rows.length === 0 ? (
          <Empty title={empty} />
        ) : (
          <Table
            label={panel.name}
            columns={actions.length > 0 ? [...columns, buttons] : columns}
            rows={rows.map((row, at) => ({ row, at }))}
            keyOf={({ row, at }) => `${nameOf(row)} ${at}`}
          />
        )
      }
    </Loaded>
  )
}

interface Numbered {
  readonly row: PanelRecord
  readonly at: number
}

function DetailBlock(props: BlockProps<'detail'>) {
  const { panel, block, item, every, onChanged } = props
  const data = useAnswer('detail', asked(props, block.from), every)
  return (
    <Loaded data={data}>
      {({ item: found }) => (
        <>
          <dl className="facts">
            {block.fields.map(({ key, label, as }) => (
              <div key={key}>
                <dt>{label}</dt>
                <dd>{showField(found[key], as)}</dd>
              </div>
            ))}
          </dl>
          <Actions panel={panel} actions={block.actions} item={item} onDone={onChanged} />
        </>
      )}
    </Loaded>
  )
}

interface ActionsProps {
  readonly panel: PanelShown
  readonly actions: BlockOf<'detail'>['actions']
  readonly item: string
  readonly onDone: () => void
}

function Actions({ panel, actions, item, onDone }: ActionsProps) {
  const { tell } = useApp()
  const runPanel = useRunPanel()
  const { busy, error, run } = useDoing()
  const [over, setOver] = useState<ActionsProps['actions'][number]>()
  if (actions.length === 0) return null
  const start = (method: string) =>
    run(async () => {
      const { said } = (await runPanel({ panel: panel.id, method, item })) as { readonly said?: string }
      setOver(undefined)
      if (said) tell(said)
      onDone()
    })
  return (
    <div className="line">
      {actions.map((action) => (
        <Button
          key={action.method}
          tiny
          busy={busy && !over}
          label={`${action.label} ${item}`.trim()}
          onPress={() => (action.confirm === undefined ? start(action.method) : setOver(action))}
        >
          {action.label}
        </Button>
      ))}
      {!over && <ErrorNote error={error} />}
      {over && (
        <Confirm
          title={over.label}
          action={over.label}
          busy={busy}
          error={error}
          onConfirm={() => start(over.method)}
          onClose={() => setOver(undefined)}
        >
          {over.confirm}
          {item !== '' && <p className="mono">{item}</p>}
        </Confirm>
      )}
    </div>
  )
}

function FormBlock(props: BlockProps<'form'>) {
  const { block } = props
  return block.from === undefined ? <FilledForm {...props} before={{}} /> : <AskedForm {...props} from={block.from} />
}

function AskedForm({ from, ...props }: BlockProps<'form'> & { readonly from: string }) {
  const data = useAnswer('form', asked(props, from))
  return <Loaded data={data}>{({ values }) => <FilledForm key={JSON.stringify(values)} {...props} before={values} />}</Loaded>
}

function FilledForm({ panel, block, item, before, onChanged }: BlockProps<'form'> & { readonly before: PanelRecord }) {
  const { tell } = useApp()
  const runPanel = useRunPanel()
  const { busy, error, run } = useDoing()
  const [values, setValues] = useState(before)
  const save = () =>
    run(async () => {
      const answer = await runPanel({ panel: panel.id, method: block.submit, input: values, item })
      const { said } = answer as { readonly said?: string }
      tell(said || 'Saved.')
      setValues(before)
      onChanged()
    })
  return (
    <form
      className="stack wide"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <SchemaForm fields={fieldsOf(panel.inputs[block.submit] ?? {})} values={values} onChange={setValues} />
      <ErrorNote error={error} />
      <div className="line">
        <Button look="primary" submit busy={busy}>
          {block.label}
        </Button>
      </div>
    </form>
  )
}

function MarkdownBlock(props: BlockProps<'markdown'>) {
  const data = useAnswer('markdown', asked(props, props.block.from ?? ''), props.every)
  return <Loaded data={data}>{({ text }) => <Markdown text={text} />}</Loaded>
}

function ChartBlock(props: BlockProps<'chart'>) {
  const { label, unit, from } = props.block
  const data = useAnswer('chart', asked(props, from), props.every)
  return (
    <Loaded data={data}>
      {({ points }) => (
        <figure>
          <figcaption className="muted small">{unit === '' ? label : `${label} (${unit})`}</figcaption>
          <Bars label={label} values={points} />
          <details>
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
      )}
    </Loaded>
  )
}

const loud = new Map([
  ['warn', 'warn'],
  ['error', 'bad'],
] as const)

function LogBlock(props: BlockProps<'log'>) {
  const data = useAnswer('log', asked(props, props.block.from), props.every)
  return (
    <Loaded data={data}>
      {({ lines }) =>
        lines.length === 0 ? (
          <Empty title="Nothing was written yet." />
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by key.
          <section className="log card" aria-label={props.panel.name} tabIndex={0}>
            {[...lines.entries()].toReversed().map(([at, line]) => {
              const tone = loud.get(line.level as 'warn' | 'error')
              return (
                <div className="log-line" key={at}>
                  <time className="muted figures">{new Date(line.at).toLocaleTimeString()}</time>
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

/** Days with what happens on them, the next one first. */
function CalendarBlock(props: BlockProps<'calendar'>) {
  const data = useAnswer('calendar', asked(props, props.block.from), props.every)
  return (
    <Loaded data={data}>
      {({ events }) =>
        events.length === 0 ? (
          <Empty title="Nothing is planned." />
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
