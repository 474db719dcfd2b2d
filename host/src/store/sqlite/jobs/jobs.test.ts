import { jobsContract } from '../../testing/jobs-contract.ts'
import { createTemporaryStore } from '../../testing/temporary-store.ts'

jobsContract('SQLite', createTemporaryStore)
