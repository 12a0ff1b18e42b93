import { test } from 'node:test'
import { postgresSuite } from './suite.ts'

postgresSuite(test, 100)
