/** A token count as it came: anything but a positive number is none. */
export function count(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0
}
