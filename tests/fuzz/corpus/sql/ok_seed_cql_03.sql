create keyspace dev 
WITH replication = {'class':'SimpleStrategy', 'replication_factor':1};
