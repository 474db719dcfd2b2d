import type { Wire } from '@agent/plugin-sdk'
import { useState } from 'react'
import { CheckField, SelectField, TextField } from '../parts/field.tsx'
import { type FormField, readText, setAt, showText, type Values, valueAt } from './schema-model.ts'

export interface SchemaFormProps {
  readonly fields: readonly FormField[]
  readonly values: Values
  readonly onChange: (values: Values) => void
  /** What the server found wrong, by dotted path. */
  readonly faults?: Readonly<Record<string, string>>
}

/** The fields of a JSON schema. The server checks the values; its words stand beside the field that they speak of. */
export function SchemaForm({ fields, values, onChange, faults = {} }: SchemaFormProps) {
  return fields.map((field) =>
    field.kind === 'group' ? (
      <fieldset key={field.path} className="stack">
        <legend>{field.label}</legend>
        {field.hint && <p className="hint">{field.hint}</p>}
        <SchemaForm fields={field.fields} values={values} onChange={onChange} faults={faults} />
      </fieldset>
    ) : (
      <FormControl
        key={field.path}
        field={field}
        value={valueAt(values, field.path)}
        fault={faults[field.path]}
        onChange={(value) => onChange(setAt(values, field.path, value))}
      />
    ),
  )
}

interface ControlProps {
  readonly field: FormField
  readonly value: Wire | undefined
  readonly fault: string | undefined
  readonly onChange: (value: Wire | undefined) => void
}

export function FormControl({ field, value, fault, onChange }: ControlProps) {
  const label = field.required ? `${field.label} (needed)` : field.label
  const fallback = field.fallback === undefined || field.fallback === null ? '' : showText(field.fallback)
  const common = { label, hint: hintOf(field), fault }
  if (field.kind === 'check')
    return <CheckField {...common} checked={(value ?? field.fallback) === true} onChange={(checked) => onChange(checked)} />
  if (field.kind === 'choice') {
    const none = { value: '', name: fallback === '' ? 'Not set' : `Default: ${fallback}` }
    const choices = [none, ...field.choices.map((choice) => ({ value: choice, name: choice }))]
    return (
      <SelectField {...common} choices={choices} value={showText(value)} onChange={(text) => onChange(text === '' ? undefined : text)} />
    )
  }
  if (field.kind === 'json') return <JsonControl {...common} value={value} onChange={onChange} />
  const rows = field.kind === 'list' ? { rows: 3 } : field.kind === 'long' ? { rows: 5 } : {}
  return (
    <TextField {...common} {...rows} placeholder={fallback} value={showText(value)} onChange={(text) => onChange(readText(field, text))} />
  )
}

function hintOf(field: FormField): string | undefined {
  if (field.kind === 'list') return [field.hint, 'One a line.'].filter(Boolean).join(' ')
  return field.hint
}

/** What no field fits: JSON, taken over as soon as it can be read. */
function JsonControl({
  value,
  onChange,
  ...common
}: Omit<ControlProps, 'field'> & { readonly label: string; readonly hint: string | undefined }) {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, undefined, 2))
  const read = readJson(text)
  return (
    <TextField
      {...common}
      rows={4}
      value={text}
      fault={common.fault ?? (read.ok ? undefined : 'This is no JSON yet. Names and texts stand in double quotes.')}
      onChange={(next) => {
        setText(next)
        const fresh = readJson(next)
        if (fresh.ok) onChange(fresh.value)
      }}
    />
  )
}

function readJson(text: string): { readonly ok: boolean; readonly value?: Wire } {
  if (text.trim() === '') return { ok: true }
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return { ok: false }
  }
}
