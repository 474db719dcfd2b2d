import { journalContract } from '../../testing/journal-contract.ts'
import { createTemporaryStore } from '../../testing/temporary-store.ts'

journalContract('SQLite', createTemporaryStore)
