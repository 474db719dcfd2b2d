/** A right that ends by itself. A boot holds a lease under its own id; while it does, its claims are its own. */
export interface Leases {
  /** Takes or renews; false while another owner holds it. */
  hold(name: string, owner: string, forMs: number): Promise<boolean>
  release(name: string, owner: string): Promise<void>
  /** Who holds it now. */
  holder(name: string): Promise<string | undefined>
}
