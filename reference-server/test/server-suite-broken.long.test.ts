import { brokenServers } from './broken-servers.ts'
import { testBrokenServers } from './judge-broken-servers.ts'

testBrokenServers(brokenServers)
