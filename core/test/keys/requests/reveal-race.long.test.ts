import { describe, it } from 'node:test'
import { revealAtOnce } from './reveal-race.ts'

describe('a requested key, in 1,000 schedules of the store', () => {
  it('is shown once when it is revealed three times at once', () => revealAtOnce(1000))
})
