import type { Action } from '../api.ts'
import type { Actions } from '../server/actions.ts'
import { nothing, type Router } from '../server/router.ts'

const verbs = ['start', 'stop', 'restart'] as const

export function addGateway(router: Router, actions: Actions): void {
  for (const verb of verbs) {
    router.add({
      ...{ method: 'POST', url: `/api/gateway/${verb}`, takes: nothing },
      answer: ({ context }): Promise<Action> => actions.start(context, `gateway-${verb}`, ['gateway', verb]),
    })
  }
  router.add({
    ...{ method: 'GET', url: '/api/actions/:id/status', takes: nothing },
    answer: ({ context, id }): Promise<Action> => actions.status(context, id),
  })
}
