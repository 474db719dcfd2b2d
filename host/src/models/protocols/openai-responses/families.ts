import type { ModelRequest } from '@agent/plugin-sdk'

type Effort = NonNullable<ModelRequest['reasoning']> | 'minimal'

/** Families of models that think before they answer, with the least that each can be told to think; the first that fits holds. */
const families: readonly { readonly name: RegExp; readonly least: Effort }[] = [
  { name: /^gpt-5-pro/, least: 'high' },
  { name: /^gpt-[\d.]+-pro/, least: 'medium' },
  { name: /^(o[1-9]|codex|gpt-.*codex)/, least: 'low' },
  { name: /^gpt-5(-(mini|nano|\d)|$)/, least: 'minimal' },
  { name: /^gpt-([5-9]|\d\d)/, least: 'none' },
]

const familyOf = (model: string) => (model.includes('-chat') ? undefined : families.find(({ name }) => name.test(model)))

/** Models that do not think refuse the fields that ask for thoughts. */
export const isThinking = (model: string): boolean => familyOf(model) !== undefined

/** What a model that thinks is told: the wish, or the least that it takes where the wish is not to think. */
export function effortOf({ model, reasoning }: Pick<ModelRequest, 'model' | 'reasoning'>): Effort | undefined {
  return reasoning === 'none' ? familyOf(model)?.least : reasoning
}

/** A model that thinks refuses a temperature. Those of which the vendor says so take one where they are told not to think. */
export function takesTemperature(request: Pick<ModelRequest, 'model' | 'reasoning'>): boolean {
  const { model } = request
  // They think as they like, and are no less strict.
  if (!isThinking(model)) return !/^gpt-\d\.\d+-chat/.test(model)
  return /^gpt-5\.[124]/.test(model) && effortOf(request) === 'none'
}
