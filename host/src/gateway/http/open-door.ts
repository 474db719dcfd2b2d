import { type Listener, type ListenerOptions, openListener } from './http.ts'

/** Opens the listener of a door; the name tells the doors of a gateway apart. */
export type OpenDoor = (name: string, options: ListenerOptions) => Promise<Listener>

/** The doors of a gateway that is alone. */
export const openOwnDoor: OpenDoor = (_, options) => openListener(options)

/** The one that platforms with callbacks share; it opens with the first route. */
export const callbackDoor = 'callbacks'
