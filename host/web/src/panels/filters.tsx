import { FormControl } from '../forms/schema-form.tsx'
import { type FormField, setAt, showText, type Values, valueAt } from '../forms/schema-model.ts'
import { CheckField, SelectField, TextField } from '../parts/field.tsx'

export interface FiltersProps {
  readonly fields: readonly FormField[]
  readonly values: Values
  readonly onChange: (values: Values) => void
}

/** Fields in one line, each of which is taken over at once. */
export function Filters({ fields, values, onChange }: FiltersProps) {
  return (
    <div className="filters">
      {fields.map((field) => (
        <Filter key={field.path} field={field} values={values} onChange={onChange} />
      ))}
    </div>
  )
}

function Filter({ field, values, onChange }: Omit<FiltersProps, 'fields'> & { readonly field: FormField }) {
  const { label, hint, fallback, choices } = field
  const value = valueAt(values, field.path)
  /** What a filter holds before anybody touches it is no filter. */
  const set = (next: Values[string]) => onChange(setAt(values, field.path, next === fallback || next === '' ? undefined : next))
  if (field.kind === 'check') return <CheckField label={label} hint={hint} checked={(value ?? fallback) === true} onChange={set} />
  if (field.kind === 'choice') {
    const all = choices.map((choice) => ({ value: choice, name: choice }))
    const offered = fallback === undefined ? [{ value: '', name: 'All' }, ...all] : all
    return <SelectField label={label} hint={hint} choices={offered} value={showText(value ?? fallback)} onChange={set} />
  }
  if (field.kind === 'text') return <TextField kind="search" label={label} hint={hint} value={showText(value ?? fallback)} onChange={set} />
  return <FormControl field={field} value={value} fault={undefined} onChange={set} />
}
