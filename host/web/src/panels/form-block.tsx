import type { PanelRecord } from '@agent/plugin-sdk'
import { useState } from 'react'
import { SchemaForm } from '../forms/schema-form.tsx'
import { fieldsOf } from '../forms/schema-model.ts'
import { useApp, useDoing } from '../net/app.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote, Loaded } from '../parts/notes.tsx'
import { askOf, type BlockProps } from './block-props.ts'
import { useAnswer, useRunPanel } from './use-answer.ts'

export function FormBlock(props: BlockProps<'form'>) {
  const { block } = props
  return block.from === undefined ? <FilledForm {...props} before={{}} /> : <AskedForm {...props} from={block.from} />
}

function AskedForm({ from, ...props }: BlockProps<'form'> & { readonly from: string }) {
  const data = useAnswer('form', askOf(props, from))
  return <Loaded data={data}>{({ values }) => <FilledForm key={JSON.stringify(values)} {...props} before={values} />}</Loaded>
}

function FilledForm({ panel, block, item, before }: BlockProps<'form'> & { readonly before: PanelRecord }) {
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
