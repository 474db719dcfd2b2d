import { expect, test } from 'vitest'
import { childRequest } from './child-request.ts'

test('a child answers the model, the person and the door of its parent, and is stored where its parent is', () => {
  const handed = {
    ...({ source: 'talk', canAnswer: true, provider: 'p', model: 'm', reasoning: 'high' } as const),
    ...{ store: false, isPublic: true, person: 'ann' },
  }
  const child = childRequest(handed, 'owner', {} as never, { goal: 'x', session: 'ses_1' } as never)
  expect(child).toMatchObject({ ...handed, owner: 'owner', beginAs: 'ses_1' })
})
