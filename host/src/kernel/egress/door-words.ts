/** What the host answers when a child asks for a connection: where it leads to, or why there is none. */
export type DoorAnswer =
  | { readonly address: string; readonly port: number; readonly family: string }
  | { readonly code: string; readonly message: string }
