import type { PanelRecord } from '@agent/plugin-sdk'
import { useState } from 'react'
import { fieldsOf } from '../forms/schema-model.ts'
import { useApp, useDoing } from '../net/app.ts'
import { hrefOf } from '../net/route.ts'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { ErrorNote, Loaded } from '../parts/notes.tsx'
import { Table } from '../parts/table.tsx'
import { ActionForm } from './action-form.tsx'
import { askOf, type BlockProps } from './block-props.ts'
import { showField } from './show-field.tsx'
import { useAnswer, useRunPanel } from './use-answer.ts'

interface Numbered {
  readonly row: PanelRecord
  readonly at: number
}

export function TableBlock(props: BlockProps<'table'>) {
  const { panel, block, every, empty } = props
  const { fields, key, opens, actions } = block
  const data = useAnswer('table', askOf(props, block.from), every)
  const nameOf = (row: PanelRecord): string => String(key === undefined ? '' : (row[key] ?? ''))
  const columns = fields.map((field, index) => ({
    name: field.label,
    number: field.as === 'number' || field.as === 'bytes',
    show: ({ row }: Numbered) =>
      index === 0 && opens !== undefined ? (
        <a href={hrefOf('panel', `${panel.id}/${opens}/${nameOf(row)}`)}>{showField(row[field.key], field)}</a>
      ) : (
        showField(row[field.key], field)
      ),
  }))
  const buttons = { name: 'Actions', show: ({ row }: Numbered) => <Actions panel={panel} actions={actions} row={row} item={nameOf(row)} /> }
  return (
    <Loaded data={data}>
      {({ rows }) =>
        rows.length === 0 ? (
          empty(block.empty)
        ) : (
          <Table
            stacks
            label={block.title ?? panel.name}
            columns={actions.length > 0 ? [...columns, buttons] : columns}
            rows={rows.map((row, at) => ({ row, at }))}
            keyOf={({ row, at }) => `${nameOf(row)} ${at}`}
          />
        )
      }
    </Loaded>
  )
}

export function DetailBlock(props: BlockProps<'detail'>) {
  const { panel, block, item, every } = props
  const data = useAnswer('detail', askOf(props, block.from), every)
  return (
    <Loaded data={data}>
      {({ item: found }) => (
        <>
          <dl className="facts">
            {block.fields.map((field) => (
              <div key={field.key}>
                <dt>{field.label}</dt>
                <dd>{showField(found[field.key], field)}</dd>
              </div>
            ))}
          </dl>
          <Actions panel={panel} actions={block.actions} row={found} item={item} />
        </>
      )}
    </Loaded>
  )
}

interface ActionsProps {
  readonly panel: BlockProps['panel']
  readonly actions: BlockProps<'detail'>['block']['actions']
  readonly row: PanelRecord
  readonly item: string
}

function Actions({ panel, actions, row, item }: ActionsProps) {
  const { tell } = useApp()
  const runPanel = useRunPanel()
  const { busy, error, run } = useDoing()
  const [over, setOver] = useState<ActionsProps['actions'][number]>()
  const offered = actions.filter(({ when }) => when === undefined || row[when] === true)
  if (offered.length === 0 && !over) return null
  const asksFor = (method: string) => fieldsOf(panel.inputs[method] ?? {})
  const start = (method: string, input: PanelRecord = {}) =>
    run(async () => {
      const { said } = (await runPanel({ panel: panel.id, method, input, item })) as { readonly said?: string }
      setOver(undefined)
      if (said) tell(said)
    })
  return (
    <div className="line">
      {offered.map((action) => (
        <Button
          key={action.method}
          tiny
          busy={busy && !over}
          label={`${action.label} ${item}`.trim()}
          onPress={() => (action.confirm === undefined && asksFor(action.method).length === 0 ? start(action.method) : setOver(action))}
        >
          {action.label}
        </Button>
      ))}
      {!over && <ErrorNote error={error} />}
      {over && asksFor(over.method).length > 0 && (
        <ActionForm
          {...{ action: over, item, busy, error }}
          fields={asksFor(over.method)}
          onDo={(input) => start(over.method, input)}
          onClose={() => setOver(undefined)}
        />
      )}
      {over && asksFor(over.method).length === 0 && (
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
