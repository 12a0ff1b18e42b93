// Loaded before each test file: every property of the run starts from the one seed that was printed.
import { configureGlobal, readConfigureGlobal } from 'fast-check'

const seed = Number(process.env.FC_SEED)
if (!Number.isInteger(seed))
  throw new Error(`FC_SEED expected an integer, got ${process.env.FC_SEED}`)
configureGlobal({ ...readConfigureGlobal(), seed })
