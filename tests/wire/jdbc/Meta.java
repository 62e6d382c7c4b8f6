// SPDX-License-Identifier: Apache-2.0
// Meta.java: what PostgreSQL's JDBC driver tells of a database; prints a line for each thing.
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;

public class Meta {
    static void rows(String what, ResultSet r, int... columns) throws SQLException {
        while (r.next()) {
            StringBuilder line = new StringBuilder(what);
            for (int c : columns)
                line.append(' ').append(r.getString(c));
            System.out.println(line);
        }
        r.close();
    }

    static void relations(DatabaseMetaData m) throws SQLException {
        rows("schema", m.getSchemas(), 1);
        rows("table", m.getTables(null, "public", "%", new String[] {"TABLE", "VIEW", "SEQUENCE"}), 2, 3, 4, 5);
        rows("column", m.getColumns(null, "public", "meta\\_%", "%"), 3, 4, 5, 6, 7, 9, 11, 12, 13, 17, 18, 23);
        rows("key", m.getPrimaryKeys(null, "public", "meta_a"), 3, 4, 5, 6);
        rows("index", m.getIndexInfo(null, "public", "meta_a", false, true), 3, 4, 6, 7, 8, 9, 10);
        rows("imported", m.getImportedKeys(null, "public", "meta_b"), 3, 4, 7, 8, 9, 10, 11, 12, 13);
        rows("exported", m.getExportedKeys(null, "public", "meta_a"), 3, 4, 7, 8);
        rows("cross", m.getCrossReference(null, "public", "meta_a", null, "public", "meta_b"), 3, 4, 7, 8);
        rows("right", m.getTablePrivileges(null, "public", "meta_a"), 3, 4, 5, 6, 7);
        rows("best", m.getBestRowIdentifier(null, "public", "meta_a", DatabaseMetaData.bestRowSession, true), 2, 3, 4);
    }

    static void others(DatabaseMetaData m) throws SQLException {
        int types = 0;
        int functions = 0;
        for (ResultSet r = m.getTypeInfo(); r.next();)
            types += r.getString(1).matches("int4|text|timestamptz|numeric|float8") ? 1 : 0;
        System.out.println("types " + types);
        for (ResultSet r = m.getFunctions(null, "pg_catalog", "lower"); r.next();)
            functions++;
        System.out.println("functions " + (functions > 0));
        rows("catalog", m.getCatalogs(), 1);
        rows("kind", m.getTableTypes(), 1);
        System.out.println("procedures " + m.getProcedures(null, null, "nothing").next() + " " + m.getFunctionColumns(null, null, "nothing", "%").next());
        System.out.println("columns " + m.getColumnPrivileges(null, "public", "meta_a", "b").next() + " " + m.getVersionColumns(null, "public", "meta_a").next()
            + " " + m.getUDTs(null, "public", "%", null).next() + " " + m.getClientInfoProperties().next());
        System.out.println("names " + m.getMaxColumnNameLength() + " " + m.getMaxColumnsInIndex() + " " + m.getSQLKeywords().isEmpty());
    }

    static void result(Statement s) throws SQLException {
        try (ResultSet r = s.executeQuery("SELECT id, b AS c, c + 1 FROM meta_a")) {
            ResultSetMetaData m = r.getMetaData();
            for (int i = 1; i <= m.getColumnCount(); i++)
                System.out.println("result " + m.getTableName(i) + " " + m.getColumnName(i) + " " + m.getSchemaName(i) + " " + m.isAutoIncrement(i)
                    + " " + m.isNullable(i) + " " + m.getPrecision(i) + " " + m.getScale(i) + " " + m.getColumnTypeName(i) + " " + m.getColumnDisplaySize(i));
        }
    }

    public static void main(String[] args) throws SQLException {
        try (Connection c = DriverManager.getConnection(args[0]); Statement s = c.createStatement()) {
            s.execute("CREATE TABLE meta_a (id SERIAL PRIMARY KEY, b VARCHAR(10) NOT NULL UNIQUE, c NUMERIC(8, 2) DEFAULT 1)");
            s.execute("CREATE TABLE meta_b (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, a INT REFERENCES meta_a (id) ON DELETE CASCADE)");
            s.execute("CREATE INDEX meta_c ON meta_a (c, b)");
            s.execute("CREATE VIEW meta_v AS SELECT id, b FROM meta_a");
            s.execute("COMMENT ON TABLE meta_a IS 'the first'");
            s.execute("COMMENT ON COLUMN meta_a.b IS 'its name'");
            relations(c.getMetaData());
            others(c.getMetaData());
            result(s);
            try (java.sql.PreparedStatement p = c.prepareStatement("INSERT INTO meta_a (b) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
                p.setString(1, "x");
                p.executeUpdate();
                rows("made", p.getGeneratedKeys(), 1, 2, 3);
            }
        }
    }
}
