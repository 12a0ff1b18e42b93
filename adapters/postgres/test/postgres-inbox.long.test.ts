import { test } from 'node:test'
import { postgresInboxSuite } from './inbox-suite.ts'

postgresInboxSuite(test, 50)
