import type { HomeContext } from '#rpc/home-context.ts'

/** Of what the dashboard shows, and whose it is. */
export interface DashboardGround extends Pick<HomeContext, 'installRoot' | 'environment' | 'note' | 'signal'> {
  /** Holds where a request names none. */
  readonly profile: string
  /** Serves that profile alone. */
  readonly isolated: boolean
  /** Ends this process so that what watches over it starts it again; absent where nothing does. */
  readonly restart?: () => void
}
