import { expect, test } from 'vitest'
import { redactPhones } from './phone.ts'

test('of a phone number both ends are left', () => {
  expect(redactPhones('"+43123456789" and +1234567, not 43123456789 or +123')).toBe('"+43…89" and +12…67, not 43123456789 or +123')
})
