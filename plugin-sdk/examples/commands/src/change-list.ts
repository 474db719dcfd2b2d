import { fail } from '@agent/plugin-sdk/errors'

const longestThing = 200

/** The list after a command. What cannot be done throws a coded error, whose sentence the person reads. */
export function changeList(list: readonly string[], args: string, most: number): readonly string[] {
  if (args === '') return list
  if (args === 'clear') return []
  if (args.length > longestThing) throw fail('USAGE', { problem: 'That is too long for a list.', try: '/sample_list milk' })
  if (list.length >= most) throw fail('USAGE', { problem: `The list is full with ${most} things.`, try: '/sample_list clear' })
  return [...list, args]
}
