import type { PanelRecord } from '@agent/plugin-sdk'
import { useState } from 'react'
import { SchemaForm } from '../forms/schema-form.tsx'
import type { FormField } from '../forms/schema-model.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import type { BlockProps } from './block-props.ts'

export interface ActionFormProps {
  readonly action: BlockProps<'detail'>['block']['actions'][number]
  readonly fields: readonly FormField[]
  readonly item: string
  readonly busy: boolean
  readonly error: unknown
  readonly onDo: (input: PanelRecord) => void
  readonly onClose: () => void
}

/** What the method of a button takes is filled in before it is done. */
export function ActionForm({ action: { label, confirm }, fields, item, busy, error, onDo, onClose }: ActionFormProps) {
  const [values, setValues] = useState<PanelRecord>({})
  return (
    <Dialog title={label} onClose={onClose}>
      {confirm !== undefined && <p>{confirm}</p>}
      {item !== '' && <p className="mono">{item}</p>}
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          onDo(values)
        }}
      >
        <SchemaForm fields={fields} values={values} onChange={setValues} />
        <ErrorNote error={error} />
        <div className="line">
          <Button look="primary" submit busy={busy}>
            {label}
          </Button>
          <Button onPress={onClose}>Close</Button>
        </div>
      </form>
    </Dialog>
  )
}
