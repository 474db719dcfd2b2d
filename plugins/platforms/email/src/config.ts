import * as z from 'zod'

const port = z.int().min(1).max(65_535)
const security = z.enum(['tls', 'starttls', 'plain'])

/** Shape of `platforms.email.extra`; a variable beats its key. */
export const config = z.strictObject({
  imap_port: port.default(993),
  imap_security: security.default('tls'),
  smtp_port: port.default(587),
  /** `tls` on port 465 and `starttls` elsewhere, where it is not said. */
  smtp_security: security.optional(),
  /** Where it is not the address. */
  username: z.string().optional(),
  mailboxes: z.array(z.string()).default(['INBOX']),
  /** Seconds between looks for mail where the server does not tell. */
  poll_interval: z.int().min(1).default(15),
  /** How the receiving server names itself in Authentication-Results; only its word proves a sender. */
  authserv_id: z.string().optional(),
  /** Takes every From as true, for servers that let no forged mail in. */
  trust_from: z.boolean().default(false),
  skip_attachments: z.boolean().default(false),
  /** Subject of a message that answers nothing. */
  subject: z.string().default('Message from the agent'),
})

export type Config = z.output<typeof config>
export type Security = z.output<typeof security>
